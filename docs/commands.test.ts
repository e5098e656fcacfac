// Runs the commands of the pages that a newcomer follows, as they stand there, on tiny data. What cannot run here has a reason.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runInProcess } from '../packages/anyclass/test/inProcess.js';
import { testFolder } from '../packages/files/test/testFolder.js';
import { shellCommands } from './shellCommands.js';

const root = join(import.meta.dirname, '..');
const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

/** Commands that do not run here. The test of all pages still reads them. */
const notHere: readonly [RegExp, reason: string][] = [
  [/^(npx )?anyclass serve |--page/, 'runs until it is stopped'],
  [/--open/, 'opens a browser'],
  [/DIR|DATA|RUN|sewerml=|mulan\//, 'needs a dataset that its authors distribute'],
  [/^anyclass predict runs\/sewer -/, 'reads a list from standard input'],
  [/embeddings\.|pipes\.npy/, 'needs a matrix of another program'],
];

beforeAll(async () => {
  await drawPhotos();
  writeTables();
  // A network that trains in seconds; `init` chooses a larger one.
  writeFileSync(at('anyclass.json'), JSON.stringify(configuration));
  await run(['train', 'anyclass.json', '--run', 'runs/photos']);
  const copies = [
    'runs/sewer',
    'runs/chest',
    'runs/bce',
    'runs/any-bce',
    'comparisons/coco/a',
    'comparisons/nih/a',
  ];
  for (const copy of copies) cpSync(at('runs/photos'), at(copy), { recursive: true });
  cpSync(at('runs/photos/model.safetensors'), at('model.safetensors'));
  await prepareField();
  // Printed predictions go to the real output.
  vi.spyOn(process.stdout, 'write').mockImplementation((_text, ...rest) => {
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
}, 120_000);
afterAll(() => vi.restoreAllMocks());

describe.each([
  'README.md',
  'docs/tutorial.md',
  'docs/evaluation.md',
  'docs/export.md',
  'docs/prediction.md',
  'docs/explain.md',
  'docs/features.md',
  'docs/reports.md',
  'docs/playground.md',
  'docs/field.md',
])('%s', (page) => {
  const home = page === 'docs/field.md' ? at('field') : folder;
  const all = shellCommands(readFileSync(join(root, page), 'utf8'));
  const here = all.filter(({ line }) => !notHere.some(([pattern]) => pattern.test(line)));

  test('has commands that run as they stand', { timeout: 120_000 }, async () => {
    expect(here.length).toBeGreaterThan(0);
    for (const { line, words } of here) {
      await run(words.flatMap(inShell), { line, home });
      // What `init` wrote works; so small that it trains in seconds, it is tried in the next line.
      if (words[0] === 'init') writeFileSync(at(outOf(words)), JSON.stringify(configuration));
    }
  });
});

const photoCount = 32;
/** Enough patients without a finding for a promise of 5%, and enough images for a guard. */
const siteCount = 360;

const configuration = {
  data: { dataset: 'photos' },
  network: { name: 'tresnet-s', inputSize: 16 },
  ...{ epochs: 1, batchSize: 16, device: 'cpu', threads: 1, evaluation: { replicates: 10 } },
};

async function run(
  words: readonly string[],
  { line = words.join(' '), home = folder }: { readonly line?: string; readonly home?: string } = {},
): Promise<void> {
  // A run, page or model of an earlier line, or of another page, is in the way.
  const run = words.indexOf('--run') + 1;
  const inTheWay = words[0] === 'init' ? outOf(words) : run > 0 ? words[run] : undefined;
  if (inTheWay !== undefined) rmSync(at(inTheWay), { recursive: true, force: true });
  const { status, stderr } = await runInProcess(home, words);
  expect({ line, status, stderr: status === 0 ? '' : stderr }).toEqual({ line, status: 0, stderr: '' });
}

function outOf(words: readonly string[]): string {
  const out = words.indexOf('--out') + 1;
  return out > 0 ? words[out]! : 'anyclass.json';
}

/** What a shell makes of a pattern of file names. */
function inShell(word: string): string[] {
  return word === 'new/*.jpg' ? ['new/0.jpg', 'new/1.jpg'] : [word];
}

async function drawPhotos(): Promise<void> {
  for (const name of ['photos', 'new', 'studies/ann', 'studies/bob', 'pages'])
    mkdirSync(at(name), { recursive: true });
  const bytes = await drawn('photos', { start: 0, count: photoCount });
  for (const name of ['new/0.jpg', 'new/1.jpg', 'studies/ann/1.jpg', 'studies/bob/1.jpg', 'pipe-12.jpg'])
    writeFileSync(at(name), bytes[0]!);
  const columnData = [{ name: 'image', data: bytes.slice(0, 4), type: 'BYTE_ARRAY' as const }];
  writeFileSync(at('shard-0.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
}

/** Draws images into a folder; another start gives others. */
async function drawn(
  into: string,
  { start, count }: { readonly start: number; readonly count: number },
): Promise<Buffer[]> {
  const bytes: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const seed = start + i + 11;
    const spots = Buffer.from(Array.from({ length: 8 * 8 * 3 }, (_, k) => ((k + 3) * seed * 37) % 256));
    const image = sharp(spots, { raw: { width: 8, height: 8, channels: 3 } }).resize(40, 40);
    bytes.push(await image.jpeg().toBuffer());
    writeFileSync(at(into, `${String(i).padStart(4, '0')}.jpg`), bytes[i]!);
  }
  return bytes;
}

/** Another site: images that the model does not know, and a server's log with labels of some. */
async function prepareField(): Promise<void> {
  for (const name of ['field/site', 'field/audited']) mkdirSync(at(name), { recursive: true });
  cpSync(at('runs/photos'), at('field/runs/pipes'), { recursive: true });
  cpSync(at('photos'), at('field/photos'), { recursive: true });
  // A guard takes more images than the photos are.
  const trained = { ...configuration, data: { dataset: 'site' } };
  writeFileSync(at('field/config.json'), JSON.stringify(trained));
  await drawn('field/site', { start: 100, count: siteCount });
  writePhotoTable('field/site/labels.csv', siteCount);
  const logged = Array.from({ length: 100 }, (_, i) => ({ id: `image-${i}`, isCrack: i % 10 === 0 }));
  const lines = logged.map(({ id, isCrack }) =>
    JSON.stringify({
      ...{ id, model: 'pipes', decision: { id: 'gate', falseAlarms: 0.05 } },
      ...{ isNegative: !isCrack, s: isCrack ? 2 : -2 },
      probabilities: { crack: isCrack ? 0.8 : 0.1, rust: 0.1 },
      audit: { q: 1, drawn: true },
    }),
  );
  writeFileSync(at('field/predictions.jsonl'), `${lines.join('\n')}\n`);
  const rows = logged.map(({ id, isCrack }) => `${id},${Number(isCrack)},0`);
  writeFileSync(at('field/labels.csv'), ['id,crack,rust', ...rows].join('\n'));
}

const sewer = [
  'RB',
  'OB',
  'PF',
  'DE',
  'FS',
  'IS',
  'RO',
  'IN',
  'AF',
  'BE',
  'FO',
  'GR',
  'PH',
  'PB',
  'OS',
  'OP',
  'OK',
];

function table(name: string, header: readonly string[], rows: number, cells: (i: number) => unknown[]): void {
  writeFileSync(at(name), `${[header, ...Array.from({ length: rows }, (_, i) => cells(i))].join('\n')}\n`);
}

/** Labels of drawn images, two of each patient. */
function writePhotoTable(name: string, rows: number): void {
  table(name, ['Filename', 'patient', 'crack', 'rust'], rows, (i) => [
    `${String(i).padStart(4, '0')}.jpg`,
    `p${i % (rows / 2)}`,
    Number(i % 3 === 0),
    Number(i % 5 === 0),
  ]);
}

function writeTables(): void {
  writePhotoTable('photos/labels.csv', photoCount);
  const label = (i: number, j: number) => Number((i * 7 + j) % 9 === 0 && i % 3 > 0);
  for (const [scores, labels, first] of [
    ['scores.csv', 'labels.csv', 0],
    ['test.csv', 'test-labels.csv', 1000],
    ['validation.csv', 'validation-labels.csv', 2000],
  ] as const) {
    table(scores, ['Filename', ...sewer], 90, (i) => [
      `${first + i}.png`,
      ...sewer.map((_, j) => (0.3 + 0.4 * label(i + first, j) + ((i * 7 + j) % 13) / 100).toFixed(3)),
    ]);
    table(labels, ['Filename', ...sewer], 90, (i) => [
      `${first + i}.png`,
      ...sewer.map((_, j) => label(i + first, j)),
    ]);
  }
  const soil = (i: number) => [10_000 + 17 * (i % 11), 6 + (i % 7) / 5, (i % 13) / 13];
  table('soil.csv', ['name', 'moisture', 'ph', 'clay', 'dry', 'sour'], 120, (i) => [
    `field-${i}`,
    ...soil(i),
    Number(i % 11 < 4),
    Number(i % 7 < 2),
  ]);
  table('new-fields.csv', ['name', 'moisture', 'ph', 'clay'], 5, (i) => [`new-${i}`, ...soil(i)]);
}
