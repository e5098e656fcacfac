// A small table of photos, on which a real run is trained for tests of Studio.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ConfigurationInput } from '../src/configuration/schema.js';
import { openStudio, type StudioServer } from '../src/studio/studio.js';
import { trainRun } from '../src/training/trainRun.js';
import { type Answer, asked, cookieOf } from './studioRuns.js';

/** How the classes and the groups of the photos are called; names of groups end with a number. */
export interface PhotoNames {
  readonly classes: readonly [crack: string, roots: string];
  readonly group: string;
}

const usualNames: PhotoNames = { classes: ['crack', 'roots'], group: 'pipe' };

/** Of `count` photos, every third has a class: a dark line across for cracks, a green disk for roots. */
export async function writePhotos(folder: string, count: number, names = usualNames): Promise<string> {
  mkdirSync(join(folder, 'photos'), { recursive: true });
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [['Filename', 'split', 'pipe', ...names.classes].map(cell).join(',')];
  for (let i = 0; i < count; i++) {
    const [crack, roots] = [Number(i % 3 === 1 && i % 2 === 0), Number(i % 3 === 1 && i % 4 !== 0)];
    const split = i % 5 < 2 ? 'train' : i % 5 < 4 ? 'validation' : 'test';
    const name = `${String(i).padStart(3, '0')}.png`;
    const shapes = [
      crack ? `<path d="M4 ${8 + (i % 20)}L60 ${20 + (i % 20)}" stroke="#111" stroke-width="4"/>` : '',
      roots ? `<circle cx="${14 + (i % 30)}" cy="${24}" r="9" fill="#2a7d2a"/>` : '',
    ];
    const svg = `<svg width="64" height="48"><rect width="64" height="48" fill="hsl(${(i * 7) % 60},20%,${60 + (i % 20)}%)"/>${shapes.join('')}</svg>`;
    await sharp(Buffer.from(svg))
      .png()
      .toFile(join(folder, 'photos', name));
    lines.push([name, split, cell(`${names.group}${i % 7}`), crack, roots].join(','));
  }
  const table = join(folder, 'labels.csv');
  writeFileSync(table, `${lines.join('\n')}\n`);
  return table;
}

/** A configuration that trains on them in seconds. */
function photoRun(folder: string, epochs = 2): ConfigurationInput {
  return {
    data: {
      dataset: join(folder, 'labels.csv'),
      imageFolder: join(folder, 'photos'),
      columns: { group: 'pipe' },
    },
    network: { name: 'tresnet-s', inputSize: 16 },
    epochs,
    batchSize: 8,
    device: 'cpu',
    threads: 1,
    evaluation: { replicates: 0 },
  };
}

/** A Studio that shows a run of these photos, and how it is asked. */
export interface PhotoStudio extends AsyncDisposable {
  readonly folder: string;
  /** The table of labels. */
  readonly table: string;
  readonly server: StudioServer;
  readonly cookie: string;
  at(name: string): string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
}

/**
 * Writes 60 photos, trains the run `runs/first` on them and opens Studio on their folder.
 *
 * @param prepare changes the data before the training
 * @param complete adds runs before Studio opens
 */
export async function openPhotoStudio({
  epochs = 1,
  names = usualNames,
  prepare = () => {},
  complete = () => {},
}: {
  readonly epochs?: number;
  readonly names?: PhotoNames;
  readonly prepare?: (folder: string, table: string) => void;
  readonly complete?: (folder: string) => void;
} = {}): Promise<PhotoStudio> {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-photos-'));
  const table = await writePhotos(folder, 60, names);
  prepare(folder, table);
  await trainRun(photoRun(folder, epochs), { run: join(folder, 'runs/first') });
  complete(folder);
  const server = await openStudio([folder]);
  const cookie = await cookieOf(server.url);
  return {
    folder,
    table,
    server,
    cookie,
    at: (name) => join(folder, name),
    get: (path) => asked(server.url, path, { headers: { cookie } }),
    post: (path, body) =>
      asked(server.url, path, { method: 'POST', headers: { cookie }, body: JSON.stringify(body) }),
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Copies a run with scores that agree with the labels of its validation and test images, but for one image of each, which scores as if it
 * had roots: a suspect for sure. Returns the names of both.
 */
export function copyWithSuspects(run: string, copy: string): Readonly<Record<'validation' | 'test', string>> {
  cpSync(run, copy, { recursive: true });
  const scores = join(copy, 'scores');
  rmSync(join(scores, 'checksums.json'));
  rmSync(join(copy, 'margins.csv'), { force: true });
  const doubted = (split: string): string => {
    const text = readFileSync(join(scores, `${split}-labels.csv`), 'utf8').trim();
    const [head = [], ...rows] = text.split('\n').map((line) => line.split(','));
    const [crack, roots] = [head.indexOf('crack'), head.indexOf('roots')];
    const wrong = rows.find((row) => row[crack] === '0' && row[roots] === '0')!;
    const score = (row: readonly string[], j: number) =>
      row[j] === '1' || (row === wrong && j === roots) ? 0.95 : 0.05;
    const lines = rows.map((row) => [row[0], score(row, crack), score(row, roots)].join(','));
    writeFileSync(join(scores, `${split}.csv`), [`${head[0]},crack,roots`, ...lines, ''].join('\n'));
    return wrong[0]!;
  };
  return { validation: doubted('validation'), test: doubted('test') };
}
