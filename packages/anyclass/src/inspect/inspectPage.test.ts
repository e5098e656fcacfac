import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser, openFile, seriousFindings } from '../../test/pages/browser.js';
import { closeDataset } from '../data/dataset/dataset.js';
import { openDataset } from '../data/openDataset.js';
import { randomStream } from '../data/random/philox.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectPage } from './inspectPage.js';
import { pagePictures } from './pagePictures.js';
import { sampleImages } from './samples.js';

const folder = testFolder();
const file = join(folder, 'page.html');
const classes = 70;

/** COCO's layout with 70 classes in groups, repeated objects in an image, and a smaller copy of one image. */
beforeAll(async () => {
  const categories = Array.from({ length: classes }, (_, i) => ({
    id: i,
    name: `class ${i}`,
    supercategory: ['animal', 'vehicle', 'food'][i % 3],
  }));
  const images = Array.from({ length: 40 }, (_, id) => ({ id, file_name: `${id}.png` }));
  const annotations = images.flatMap(({ id }) =>
    id % 2 === 0 ? [] : [id, id, id + 30, 3].map((i) => ({ image_id: id, category_id: i % classes })),
  );
  writeFileSync(join(folder, 'instances.json'), JSON.stringify({ images, annotations, categories }));
  for (const { id, file_name: name } of images) {
    const draw = randomStream('sample', 3, 0, id === 39 ? 1 : id);
    const cells = Array.from({ length: 64 }, () => draw.below(256));
    const side = id === 39 ? 40 : 48;
    const pixels = Uint8Array.from({ length: 48 * 48 * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % 48, Math.floor(i / 144)];
      return cells[Math.floor(y / 6) * 8 + Math.floor(x / 6)]!;
    });
    const image = sharp(pixels, { raw: { width: 48, height: 48, channels: 3 } });
    await image.resize(side, side).png().toFile(join(folder, name));
  }
  const dataset = await openDataset(join(folder, 'instances.json'));
  const inspection = await inspectDataset(dataset, { size: { width: 16, height: 16 } });
  writeFileSync(file, inspectPage(inspection, await pagePictures(dataset, inspection)));
  await closeDataset(dataset);
}, 60_000);

test('samples keep to their budget: classes take turns, and those without an image are left out', async () => {
  const dataset = await openDataset(join(folder, 'instances.json'));
  const all = await sampleImages(dataset, { perClass: 2 });
  const characters = (rows: typeof all) =>
    rows.flatMap(({ images }) => images).reduce((sum, { dataUrl }) => sum + dataUrl.length, 0);
  const most = Math.round(characters(all) / 3);
  const some = await sampleImages(dataset, { perClass: 2, most });
  await closeDataset(dataset);
  expect(characters(some)).toBeLessThan(most + 5000);
  expect(some.length).toBeLessThan(all.length);
  expect(some.every(({ images }) => images.length > 0)).toBe(true);
  const names = all.find(({ title }) => title === 'class 3')!.images.map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  expect(all.at(-1)).toMatchObject({ title: 'negative', images: { length: 4 } });
});

describeInBrowser('in a browser', (browser) => {
  test('the verdict comes first and says what to look at', async () => {
    const { page, problems } = await openFile(browser(), file);
    const first = page.locator('main > *').first();
    expect(await first.getAttribute('class')).toContain('verdict');
    expect(await first.textContent()).toMatch(/40 images, 70 classes, 50\.0% negative\.[\s\S]*Start with λ/);
    const answers = page.locator('main > .columns').first();
    expect(await answers.textContent()).toMatch(/What to fix first[\s\S]*What can be promised/);
    expect(problems).toEqual([]);
  }, 60_000);

  test('axe finds nothing serious', async () => {
    const { page } = await openFile(browser(), file, { colorScheme: 'dark', bypassCSP: true });
    expect(await seriousFindings(page)).toEqual([]);
  }, 60_000);

  test('tables are collapsed, have every class, and are sorted by clicking a column', async () => {
    const { page } = await openFile(browser(), file);
    const rows = page.locator('#classes details').first().locator('tbody tr');
    expect(await rows.first().isVisible()).toBe(false);
    await page.locator('#classes summary').first().click();
    expect(await rows.count()).toBe(classes + 1);
    const objects = page.locator('#classes details').first().locator('thead th', { hasText: 'objects' });
    await objects.click();
    expect(await rows.first().locator('th').textContent()).toBe('class 3');
    expect(await objects.getAttribute('aria-sort')).toBe('descending');
    await objects.click();
    expect(await rows.first().locator('th').textContent()).not.toBe('class 3');
  }, 60_000);

  test('charts say which classes they leave out, and the table of pairs has them', async () => {
    const { page } = await openFile(browser(), file);
    expect(await page.locator('#together').textContent()).toContain(
      'the 20 most common of 70; the table of pairs has more',
    );
    expect(await page.locator('#groups .block > h3').allTextContents()).toEqual([
      'Positive instances',
      'Annotated objects and the instances that show them',
      'Percentage of instances with the row’s group that also have the column’s',
    ]);
  }, 60_000);

  test('samples of many classes are collapsed; those of negatives stay visible', async () => {
    const { page } = await openFile(browser(), file);
    const titles = page.locator('#samples .group > h3');
    expect(await titles.count()).toBe(classes + 1);
    expect(await titles.filter({ visible: true }).last().textContent()).toBe('negative');
    expect(await titles.filter({ visible: true }).count()).toBe(24);
    await page.locator('#samples summary').click();
    expect(await titles.filter({ visible: true }).count()).toBe(classes + 1);
  }, 60_000);

  test('images that look alike are side by side with their names and splits', async () => {
    const { page } = await openFile(browser(), file);
    const set = page.locator('.alike').first();
    expect(await set.locator('img').count()).toBe(2);
    expect(await set.textContent()).toMatch(/1\.png[\s\S]*39\.png/);
    expect(await page.locator('#samples .file').first().textContent()).toMatch(/\.png/);
  }, 60_000);

  test('on a phone, the bars of the splits have room beside their counts', async () => {
    const { page } = await openFile(browser(), file, { viewport: { width: 390, height: 844 } });
    const bar = await page.locator('.verdict rect').first().boundingBox();
    expect(bar!.width).toBeGreaterThan(60);
  }, 60_000);

  test('printed, nothing is wider than the paper', async () => {
    const { page } = await openFile(browser(), file, { viewport: { width: 718, height: 1016 } });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(718);
  }, 60_000);

  test('heat maps have different colors in dark mode, and on a phone the page does not scroll sideways', async () => {
    const fills = async (colorScheme: 'light' | 'dark') => {
      const { page } = await openFile(browser(), file, {
        colorScheme,
        viewport: { width: 390, height: 844 },
      });
      const found = await page.evaluate(() => ({
        color: getComputedStyle(document.documentElement).getPropertyValue('--level-1').trim(),
        used: document.querySelector('#groups')?.innerHTML.includes('var(--level-'),
        fits: document.documentElement.scrollWidth <= innerWidth,
      }));
      return found;
    };
    const [light, dark] = [await fills('light'), await fills('dark')];
    expect([light.fits, dark.fits, light.used]).toEqual([true, true, true]);
    expect(light.color).not.toBe(dark.color);
  }, 60_000);
});
