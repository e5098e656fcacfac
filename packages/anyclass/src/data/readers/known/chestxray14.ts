// ChestX-ray14. Wang et al., "ChestX-ray8: Hospital-scale Chest X-ray Database", CVPR 2017;
// labels from the 2020 revision.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shuffleSplit, threeWaySplit } from '@anyclass/core';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable, Grouping, Preparation, Splits } from '../../dataset/dataset.js';
import type { NameTable } from '../../dataset/nameTable.js';
import { fileImages } from '../../images/storage/fileImages.js';
import { readLines } from '../../tables/lines.js';
import { type CsvTableOptions, readCsvTables } from '../labelTables/csvTables.js';

const chestxray14Classes = [
  'Infiltration',
  'Effusion',
  'Atelectasis',
  'Nodule',
  'Mass',
  'Pneumothorax',
  'Consolidation',
  'Pleural_Thickening',
  'Cardiomegaly',
  'Emphysema',
  'Edema',
  'Fibrosis',
  'Pneumonia',
  'Hernia',
] as const;

const tables = ['Data_Entry_2017_v2020.csv', 'Data_Entry_2017_v2020.csv.gz', 'Data_Entry_2017.csv'];

/** X-rays are gray; mean and standard deviation are those of ChestX-ray14. */
export const chestPreparation: Preparation = {
  channels: 1,
  mean: [0.506],
  std: [0.23],
  augmentation: 'x-ray',
};

/**
 * Reads ChestX-ray14 from its table in `root` or `root/annotations`, with images in `images` or in the
 * twelve folders `images_001/images`… as published. It is split by patient: `paper` is 70/15/15 with seed
 * 42; `official` uses NIH's `train_val_list.txt` and `test_list.txt`, with an eighth of the former's
 * patients for validation.
 *
 * @example
 * (await readChestxray14('data/chest', 'paper', {})).fixedSplits?.splits.train.length // 78566
 */
export async function readChestxray14(
  root: string,
  split: 'paper' | 'official',
  options: CsvTableOptions,
): Promise<DatasetTable> {
  const path = placeIn(root, tables);
  if (!path) throw new DataError(`${shownPath(root)}: no ${tables[0]} in this folder or in annotations`);
  const table = await readCsvTables([path], {
    imageColumn: 'Image Index',
    labelColumn: 'Finding Labels',
    groupColumn: 'Patient ID',
    separator: '|',
    negativeLabel: 'No Finding',
    ...options,
    classes: chestxray14Classes,
  });
  const folders = await imageFolders(options.imageFolder ?? root);
  return {
    ...table,
    name: split === 'paper' ? 'chestxray14' : 'nih-official',
    images: fileImages(table.names, await folderFinder(table.names, folders)),
    ...(options.splitColumn === undefined && {
      fixedSplits:
        split === 'paper'
          ? { splits: splitByPatient(table.groups!), origin: 'by patient, 70/15/15, seed 42' }
          : {
              splits: await officialSplits(root, table.names, table.groups!),
              origin: "NIH's lists; an eighth of the patients of train_val_list.txt for validation, seed 42",
            },
    }),
    preparation: chestPreparation,
  };
}

/** Splits the patients, in order of first appearance, 70/30, and then the 30 in half, both with seed 42. */
function splitByPatient({ codes, names }: Grouping): Splits {
  const patients = threeWaySplit(shuffleSplit(names.length, { testSize: 0.3, random: 42 }), (rest) =>
    shuffleSplit(rest.length, { testSize: 0.5, random: 42 }),
  );
  const rowsOf = (wanted: Int32Array) => {
    const chosen = new Uint8Array(names.length);
    for (const patient of wanted) chosen[patient] = 1;
    return Int32Array.from([...codes.keys()].filter((row) => chosen[codes[row]!] === 1));
  };
  return {
    train: rowsOf(patients.train),
    validation: rowsOf(patients.validation),
    test: rowsOf(patients.test),
    decision: new Int32Array(0),
  };
}

/** Wang et al. split 70/10/20: an eighth of the patients that are not in test are for validation. */
async function officialSplits(root: string, names: NameTable, { codes }: Grouping): Promise<Splits> {
  const rowOf = new Map(Array.from({ length: names.length }, (_, row) => [names.at(row), row]));
  const seen = new Map<number, string>();
  const rows = async (list: string) => {
    const path = placeIn(root, [list]);
    if (path === undefined) {
      throw new DataError(
        `${shownPath(root)}: no ${list} in this folder or in annotations; chestxray14=DIR splits by patient without it`,
      );
    }
    const found: number[] = [];
    for await (const [line, number] of readLines(path, list)) {
      if (line.trim() === '') continue;
      const where = `${list}, line ${number}`;
      const row = rowOf.get(line.trim());
      if (row === undefined) throw new DataError(`${where}: the table has no image '${line.trim()}'`);
      const before = seen.get(row);
      if (before !== undefined) throw new DataError(`${where}: '${line.trim()}' is already in ${before}`);
      seen.set(row, where);
      found.push(row);
    }
    return Int32Array.from(found).sort();
  };
  const trained = await rows('train_val_list.txt');
  const test = await rows('test_list.txt');
  const patients = [...new Set(trained.map((row) => codes[row]!))];
  if (patients.length < 2)
    throw new DataError('train_val_list.txt: fewer than two patients; validation needs its own');
  const drawn = shuffleSplit(patients.length, { testSize: 0.125, random: 42 });
  const validated = new Set(Array.from(drawn.test, (i) => patients[i]!));
  return {
    train: trained.filter((row) => !validated.has(codes[row]!)),
    validation: trained.filter((row) => validated.has(codes[row]!)),
    test,
    decision: new Int32Array(0),
  };
}

function placeIn(root: string, names: readonly string[]): string | undefined {
  return [root, join(root, 'annotations')]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((candidate) => existsSync(candidate));
}

async function imageFolders(root: string): Promise<string[]> {
  const single = ['images', 'images-224', 'png']
    .map((name) => join(root, name))
    .filter((path) => existsSync(path));
  if (single[0] !== undefined) return [single[0]];
  const entries = existsSync(root) ? await readdir(root) : [];
  const numbered = entries.filter((name) => /^images_\d+$/.test(name)).sort();
  return numbered.length > 0 ? numbered.map((name) => join(root, name, 'images')) : [root];
}

/**
 * Returns the folder of each row. A file that is in none of them is assigned to the first,
 * where it counts as missing.
 */
async function folderFinder(names: NameTable, folders: readonly string[]): Promise<(row: number) => string> {
  const first = folders[0]!;
  if (folders.length === 1) return () => first;
  const folderOfName = new Map<string, number>();
  for (const [i, folder] of folders.entries())
    for (const name of await readdir(folder)) folderOfName.set(name, i);
  const codes = Uint8Array.from({ length: names.length }, (_, row) => folderOfName.get(names.at(row)) ?? 0);
  return (row) => folders[codes[row]!]!;
}
