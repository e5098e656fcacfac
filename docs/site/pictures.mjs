// Takes the pictures of the documentation from pages that the product wrote: node docs/site/pictures.mjs writes docs/pictures/*.webp, each well below
// 150 kB. Needs the example runs of `npm run docs` and Chromium.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDataset } from 'anyclass/data';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const runs = join(root, 'build/example-runs');
const out = join(root, 'docs/pictures');
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env.CHROMIUM ?? places.find((path) => existsSync(path));
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'anyclass-pictures-'));
const browser = await chromium.launch({ executablePath });
try {
  const explained = await explanations();
  const shots = [
    ['report', join(runs, 'digits/report.html'), { height: 860 }],
    ['report-dark', join(runs, 'digits/report.html'), { height: 860, colorScheme: 'dark' }],
    ['report-phone', join(runs, 'digits/report.html'), { width: 390, height: 844 }],
    ['mistakes', join(runs, 'digits/report.html'), { height: 620, part: '#mistakes' }],
    ['explain', explained, { height: 620 }],
    ['inspection', join(runs, 'inspection.html'), { height: 860 }],
    ['comparison', join(runs, 'losses/comparison.html'), { height: 860 }],
  ];
  for (const [name, file, options] of shots) await shoot(name, file, options);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** The page of `explain` on a few scenes of which the model is sure, run where a user would run it. */
async function explanations() {
  const scenes = 150;
  const { images, splits } = await openDataset('digits', {
    digits: { scenes: { train: 1, validation: 1, test: scenes } },
  });
  mkdirSync(join(folder, 'photos'));
  symlinkSync(runs, join(folder, 'runs'));
  for (const row of splits.test) {
    const { pixels, width, height, channels } = await images.read(row);
    await sharp(pixels, { raw: { width, height, channels } })
      .png()
      .toFile(join(folder, 'photos', `${row}.png`));
  }
  const anyclass = (...words) =>
    execFileSync(process.execPath, [join(root, 'packages/anyclass/bin/anyclass.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  const sure = anyclass('predict', 'runs/digits', 'photos', '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(
      ({ labels, probabilities }) => labels.length > 1 && labels.every((name) => probabilities[name] > 0.6),
    );
  anyclass('explain', 'runs/digits', ...sure.slice(0, 3).map(({ Filename }) => Filename), '--out', 'heat');
  return join(folder, 'heat/index.html');
}

async function shoot(name, file, { width = 1400, height, colorScheme = 'light', part }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(pathToFileURL(file).href);
  if (part !== undefined) await page.locator(part).evaluate((element) => element.scrollIntoView());
  const picture = await page.screenshot();
  const saved = join(out, `${name}.webp`);
  const { size } = await sharp(picture)
    .resize({ width: Math.min(width, 1100) })
    .webp({ quality: 82 })
    .toFile(saved);
  console.log(`${name}: ${Math.round(size / 1024)} kB`);
  await page.close();
}
