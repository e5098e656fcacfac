import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { damaged } from '../../../test/damage.js';
import {
  writeChexpert,
  writeClassFolders,
  writeLabelImg,
  writeMulan,
  writeNih,
  writeRoboflow,
  writeUltralytics,
  writeVoc,
  writeVocBesideImages,
} from '../../../test/labelLayouts.js';
import { DataError } from '../../errors/dataError.js';
import { closeDataset, type Dataset } from '../dataset/dataset.js';
import { openDataset } from '../openDataset.js';

const folder = testFolder();

/** For each image, its labels as a text, by class position, since class names may be damaged too. */
function labelsOf({ names, classes, labels }: Dataset): Map<string, string> {
  const text = (row: number) =>
    classes.map((_, j) => (labels.isUncertain(row, j) ? '-' : String(labels.at(row, j)))).join(' ');
  return new Map(Array.from({ length: names.length }, (_, row) => [names.at(row), text(row)]));
}

function present({ names, classes, labels }: Dataset, image: string): string[] | undefined {
  const row = Array.from({ length: names.length }, (_, i) => names.at(i)).indexOf(image);
  if (row < 0) return undefined;
  return classes.filter((_, j) => labels.at(row, j) === 1 || labels.isUncertain(row, j)).sort();
}

/**
 * Damages a text file below `root` 300 times, one after another, and opens the dataset. It is passed to `look`, or refused
 * with an error that names the file. Returns how often it was refused.
 */
async function refusalsOf(
  spec: string,
  root: string,
  named: RegExp,
  look: (
    dataset: Dataset,
    damage: { readonly file: string; readonly bytes: Buffer; readonly before: Buffer },
  ) => void,
): Promise<number> {
  const files = textFiles(root);
  let refusals = 0;
  for (let i = 0; i < 300; i++) {
    const file = files[i % files.length]!;
    const before = readFileSync(join(root, file));
    const bytes = damaged(before, i);
    writeFileSync(join(root, file), bytes);
    const dataset = await openDataset(spec).catch((error: unknown) => {
      expect(error).toBeInstanceOf(DataError);
      expect(String(error)).toMatch(named);
      refusals += 1;
    });
    writeFileSync(join(root, file), before);
    if (!dataset) continue;
    look(dataset, { file, bytes, before });
    await closeDataset(dataset);
  }
  return refusals;
}

interface Layout {
  write(root: string): Promise<void> | void;
  /** Whether the labels of an image are in this file. */
  isOwn(image: string, file: string): boolean;
  /** What a simple reader sees in an image's damaged file. */
  plain(text: string): string[];
  /** The minimum number of refusals out of 300. */
  readonly refused: number;
}

const stem = (path: string) => basename(path, extname(path));
const ownFile = (image: string, file: string) => stem(image) === stem(file);
const yolo = (names: readonly string[]) => (text: string) =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [names[Number.parseInt(line, 10)]!]));
const voc = (text: string) =>
  [...text.matchAll(/<object\s*>[\s\S]*?<name\s*>([\s\S]*?)<\/name\s*>/g)].map(([, name]) => name!.trim());

const layouts: Readonly<Record<string, Layout>> = {
  Ultralytics: {
    write: writeUltralytics,
    isOwn: ownFile,
    plain: yolo(['person', 'bicycle', 'traffic light']),
    refused: 120,
  },
  Roboflow: { write: writeRoboflow, isOwn: ownFile, plain: yolo(['crack', 'root']), refused: 120 },
  LabelImg: { write: writeLabelImg, isOwn: ownFile, plain: yolo(['dog', 'hot dog']), refused: 120 },
  'Pascal VOC': { write: writeVoc, isOwn: ownFile, plain: voc, refused: 120 },
  'VOC next to images': { write: writeVocBesideImages, isOwn: ownFile, plain: voc, refused: 150 },
};

test.each(Object.entries(layouts))(
  '300 damaged files of %s: an image keeps its labels, has those of its damaged file, or the file is refused by name',
  async (title, { write, isOwn, plain, refused }) => {
    const root = join(folder, title.replaceAll(' ', '-'));
    await write(root);
    const whole = await openDataset(root);
    const expected = labelsOf(whole);
    const named = title.replaceAll(' ', '-');
    const refusals = await refusalsOf(root, root, new RegExp(named), (dataset, { file, bytes }) => {
      for (const [image, labels] of labelsOf(dataset)) {
        if (!expected.has(image)) continue;
        if (isOwn(image, file)) {
          expect(present(dataset, image)).toEqual([...new Set(plain(bytes.toString()))].sort());
        } else if (dataset.classes.length === whole.classes.length) {
          expect(`${file}: ${labels}`).toBe(`${file}: ${expected.get(image)}`);
        }
      }
    });
    expect(refusals).toBeGreaterThan(refused);
  },
);

test('300 damaged ARFF files and label lists: an intact row keeps its labels; the rest is read or refused', async () => {
  const root = join(folder, 'mulan');
  writeMulan(root);
  const expected = labelsOf(await openDataset(root));
  const refusals = await refusalsOf(root, root, /coast[-.]/, (dataset, { file, bytes }) => {
    if (dataset.classes.length !== 2) return;
    const lines = bytes
      .toString()
      .split(/@data/i)
      .at(-1)!
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('%'));
    for (const [name, labels] of labelsOf(dataset)) {
      const [table, row] = name.split('#');
      if (table !== file) expect(labels).toBe(expected.get(name));
      else expect(`${bytes} ${labels}`).toBe(`${bytes} ${plainArff(lines[Number(row)]!)}`);
    }
  });
  expect(refusals).toBeGreaterThan(100);
});

test.each([
  ['chexpert', writeChexpert],
  ['nih-official', writeNih],
] as const)(
  '300 damaged files of %s: an intact line keeps its labels; the rest is read, or the file is refused by name',
  async (name, write) => {
    const root = join(folder, name);
    await write(root);
    const expected = labelsOf(await openDataset(`${name}=${root}`));
    const named = new RegExp(textFiles(root).join('|'));
    const refusals = await refusalsOf(`${name}=${root}`, root, named, (dataset, { bytes, before }) => {
      const lines = new Set(bytes.toString().split('\n'));
      const whole = before.toString().split('\n');
      for (const [image, labels] of labelsOf(dataset)) {
        const own = whole.find((line) => line.includes(image));
        if (!expected.has(image)) continue;
        if (own === undefined || lines.has(own)) expect(labels).toBe(expected.get(image));
      }
    });
    expect(refusals).toBeGreaterThan(100);
  },
);

test('300 class folder trees with a file added: the labels of other images never change', async () => {
  const root = join(folder, 'folders');
  await writeClassFolders(root);
  const expected = labelsOf(await openDataset(root));
  for (let i = 0; i < 300; i++) {
    const place = ['', 'train', 'train/crack', 'val', 'train/negative', 'val/negative'][i % 6]!;
    const name = ['x.png', 'a b.JPG', '.hidden.png', 'é.webp', 'notes.txt', 'x.PNG '][(i * 7) % 6]!;
    const file = join(root, place, name);
    writeFileSync(file, damaged(Buffer.from('no image at all'), i));
    const dataset = await openDataset(root);
    for (const [image, labels] of expected) expect(labelsOf(dataset).get(image)).toBe(labels);
    await closeDataset(dataset);
    rmSync(file);
  }
});

function plainArff(line: string): string {
  const value = (text: string | undefined) => (text?.trim() === '?' ? 'NaN' : String(Number(text?.trim())));
  if (!line.trim().startsWith('{')) return line.split(',').slice(-2).map(value).join(' ');
  const given = new Map(
    line
      .replace(/[{}]/g, '')
      .split(',')
      .map((entry) => entry.trim().split(/\s+/))
      .map(([index, text]) => [index, text]),
  );
  return [given.get('2') ?? '0', given.get('3') ?? '0'].map(value).join(' ');
}

/** All files below a folder that are not images. */
function textFiles(root: string): string[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, name)).isFile() && !/\.(png|jpg)$/.test(name))
    .sort();
}
