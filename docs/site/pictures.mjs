// Takes the pictures of the documentation from pages that the product wrote: node docs/site/pictures.mjs writes docs/pictures/*.webp, each well below
// 150 kB. Needs the example runs of `npm run docs` and Chromium; it adds a study and a recommendation, a few minutes on two cores the first time.

import { execFileSync, spawn } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDataset } from 'anyclass/data';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { monitoredPage } from './fieldPage.mjs';
import { looksOf } from './looks.mjs';
import { openedStudio, studioShots } from './studioPictures.mjs';

const root = join(import.meta.dirname, '../..');
const runs = join(root, 'build/example-runs');
const out = join(root, 'docs/pictures');
const program = join(root, 'packages/anyclass/bin/anyclass.js');
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env.CHROMIUM ?? places.find((path) => existsSync(path));
const phone = { width: 390, height: 844 };
const wanted = process.argv.slice(2);
mkdirSync(join(out, 'looks'), { recursive: true });
// Where a user would run the commands.
const folder = mkdtempSync(join(tmpdir(), 'anyclass-pictures-'));
const photos = join(folder, 'photos');
symlinkSync(runs, join(folder, 'runs'));
const negatives = await writePhotos();
makeMore();
const [server, web, studio] = [await served(), await webPage(), await openedStudio(program, folder)];
const browser = await chromium.launch({ executablePath });
try {
  const report = join(runs, 'digits/report.html');
  const comparison = join(runs, 'losses/comparison.html');
  const files = readdirSync(photos)
    .slice(0, 3)
    .map((name) => join(photos, name));
  const shots = [
    ['report', report, { height: 760 }],
    ['report-dark', report, { height: 760, colorScheme: 'dark' }],
    ['report-phone', report, phone],
    ['report-print', report, { width: 718, height: 1016, media: 'print' }],
    ['mistakes', report, { height: 560, part: '#mistakes' }],
    ['explain', explanations(), { height: 620 }],
    ['inspection', join(runs, 'inspection.html'), { height: 640 }],
    ['comparison', comparison, { height: 720 }],
    ['comparison-dark', comparison, { height: 720, colorScheme: 'dark' }],
    ['comparison-phone', comparison, phone],
    ['study', join(runs, 'study/study.html'), { height: 760 }],
    ['recommendation', join(runs, 'recommended/recommendation.html'), { height: 640 }],
    ['serve', server.url, { height: 800, files }],
    ['serve-phone', server.url, { ...phone, files: files.slice(0, 1) }],
    ['web-export', web.url, { height: 760, files }],
    ['playground', playground(), { height: 640 }],
    ['monitoring', await monitoredPage(anyclass, server, folder, negatives), { height: 620 }],
  ];
  for (const [name, place, options] of shots)
    if (wanted.length === 0 || wanted.includes(name)) await shoot(name, place, options);
  // Each page once, in its four looks.
  const pages = new Map(shots.map(([name, place, options]) => [place, { name, options }]).reverse());
  for (const [place, { name, options }] of pages)
    if (wanted.length === 0 || wanted.includes('looks'))
      await looksOf(browser, address(place), options.files, join(out, 'looks', `${name}.webp`));
  for (const [name, look, query, act] of studioShots)
    if (wanted.length === 0 || wanted.includes(name)) await shootStudio(name, look, query, act);
} finally {
  await browser.close();
  server.close();
  web.close();
  studio.close();
  rmSync(folder, { recursive: true });
}

function anyclass(...words) {
  return execFileSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Scenes of digits as files. Returns the names of those without a class. */
async function writePhotos() {
  const { images, labels, splits } = await openDataset('digits', {
    digits: { scenes: { train: 1, validation: 1, test: 150 } },
  });
  mkdirSync(photos);
  for (const row of splits.test) {
    const { pixels, width, height, channels } = await images.read(row);
    await sharp(pixels, { raw: { width, height, channels } })
      .png()
      .toFile(join(photos, `${row}.png`));
  }
  const names = splits.test.filter((row) => labels.presence(row) === 'negative');
  return new Set([...names].map((row) => `${row}.png`));
}

/** A study and a recommendation on few scenes, unless they are there. */
function makeMore() {
  const scenes = (train, other) =>
    Object.entries({ train, validation: other, test: other }).flatMap(([split, count]) => [
      '--set',
      `data.digits.scenes.${split}=${count}`,
    ]);
  if (!existsSync(join(runs, 'study/study.html')))
    anyclass('tune', 'runs/study', 'quick', '--trials', '8', ...scenes(800, 500), '--set', 'epochs=2');
  if (!existsSync(join(runs, 'recommended/recommendation.html')))
    anyclass('recommend', 'digits', '--minutes', '10', '--out', 'runs/recommended', ...scenes(400, 600));
}

/** The page of `explain` on a few scenes of which the model is sure. */
function explanations() {
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

function playground() {
  anyclass('playground', '--out', 'playground.html');
  return join(folder, 'playground.html');
}

/** The server of the run. */
async function served() {
  const child = spawn(
    process.execPath,
    [
      ...[program, 'serve', 'runs/digits', '--port', '0', '--examples', '--json'],
      ...['--log-predictions', 'predictions.jsonl', '--audit', '0.5'],
    ],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  for await (const line of child.stdout) return { url: JSON.parse(line).url, close: () => child.kill() };
  throw new Error('anyclass serve did not start');
}

/** The exported page of the run, behind a server of files. */
async function webPage() {
  anyclass('export', 'runs/digits', '--format', 'web', '--out', 'web');
  const types = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.css': 'text/css',
  };
  const files = createServer(({ url = '/' }, answer) => {
    const path = join(folder, 'web', url === '/' ? 'index.html' : decodeURIComponent(url.split('?')[0]));
    if (!existsSync(path)) return answer.writeHead(404).end();
    answer.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
    createReadStream(path).pipe(answer);
  });
  await new Promise((done) => files.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${files.address().port}/`, close: () => files.close() };
}

function address(place) {
  return place.startsWith('http') ? place : pathToFileURL(place).href;
}

async function shoot(name, place, options) {
  const { width = 1400, height, colorScheme = 'light', media = 'screen', part, files } = options;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.emulateMedia({ media });
  await page.goto(address(place));
  if (part !== undefined) await page.locator(part).evaluate((element) => element.scrollIntoView());
  if (files !== undefined) {
    await page.waitForLoadState('networkidle');
    await page.setInputFiles('input[type=file]', files);
    await page.waitForFunction(
      (count) => document.querySelectorAll('.labels').length === count,
      files.length,
    );
  }
  await save(name, width, await page.screenshot());
  await page.close();
}

async function shootStudio(name, { width, height, colorScheme = 'light' }, query, act) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  // The first visit exchanges the token of the printed address for a cookie.
  await page.goto(studio.url);
  await page.goto(`${new URL(studio.url).origin}/?run=digits&${query}`);
  await act(page, join(photos, readdirSync(photos)[0]));
  await save(name, width, await page.screenshot());
  await page.close();
}

async function save(name, width, picture) {
  const saved = join(out, `${name}.webp`);
  const { size } = await sharp(picture)
    .resize({ width: Math.min(width, 1100) })
    .webp({ quality: 80 })
    .toFile(saved);
  console.log(`${name}: ${Math.round(size / 1024)} kB`);
}
