// A page in its four looks, side by side in one small picture: light, dark, on a phone, and printed.

import sharp from 'sharp';

const looks = [
  { width: 1400, height: 900 },
  { width: 1400, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844 },
  { width: 718, height: 1016, media: 'print' },
];
const height = 300;
const gap = 12;

/** Writes the picture of the page at `address`; `files` are dropped on it first. */
export async function looksOf(browser, address, files, path) {
  const parts = [];
  let left = 0;
  for (const { width, height: tall, colorScheme = 'light', media = 'screen' } of looks) {
    const page = await browser.newPage({ viewport: { width, height: tall }, colorScheme });
    await page.emulateMedia({ media });
    await page.goto(address);
    await page.waitForLoadState('networkidle');
    if (files !== undefined) {
      await page.setInputFiles('input[type=file]', files);
      await page.waitForFunction(
        (count) => document.querySelectorAll('.labels').length === count,
        files.length,
      );
    }
    const input = await sharp(await page.screenshot())
      .resize({ height })
      .toBuffer();
    await page.close();
    parts.push({ input, left, top: 0 });
    left += Math.round((width * height) / tall) + gap;
  }
  const background = '#9aa3af';
  await sharp({ create: { width: left - gap, height, channels: 3, background } })
    .composite(parts)
    .webp({ quality: 72 })
    .toFile(path);
}
