// ChestX-ray14. Wang et al., "ChestX-ray8: Hospital-scale Chest X-ray Database", CVPR 2017; labels of the 2020 revision.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shuffleSplit, threeWaySplit } from '@anyclass/core';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';
import type { DatasetTable, Grouping, Splits } from '../dataset.js';
import { fileImages } from '../images/fileImages.js';
import type { NameTable } from '../nameTable.js';
import { readCsvTables } from './csvTables.js';

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

/**
 * ChestX-ray14 from its table in `root` or its `annotations`, with images in `images` or in the twelve folders
 * `images_001/images`… as they are published. Split by patient, 70/15/15, as in the paper.
 *
 * @example
 * (await readChestxray14('data/chest')).fixedSplits?.splits.train.length // 78566
 */
export async function readChestxray14(root: string): Promise<DatasetTable> {
  const path = [root, join(root, 'annotations')]
    .flatMap((folder) => tables.map((name) => join(folder, name)))
    .find((candidate) => existsSync(candidate));
  if (!path) throw new DataError(`${shownPath(root)}: no ${tables[0]} in this folder or in its annotations`);
  const table = await readCsvTables([path], {
    imageColumn: 'Image Index',
    labelColumn: 'Finding Labels',
    groupColumn: 'Patient ID',
    separator: '|',
    negativeLabel: 'No Finding',
    classes: chestxray14Classes,
  });
  const folders = await imageFolders(root);
  return {
    ...table,
    name: 'chestxray14',
    images: fileImages(table.names, await folderFinder(table.names, folders)),
    fixedSplits: { splits: splitByPatient(table.groups!), origin: 'by patient, 70/15/15, seed 42' },
    preparation: { channels: 1, mean: [0.506], std: [0.23], augmentation: 'x-ray' },
  };
}

/** The patients in order of first appearance, 70/30, and the 30 in half, both with seed 42. */
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
  };
}

async function imageFolders(root: string): Promise<string[]> {
  const single = ['images', 'images-224', 'png']
    .map((name) => join(root, name))
    .filter((path) => existsSync(path));
  if (single[0] !== undefined) return [single[0]];
  const entries = await readdir(root);
  const numbered = entries.filter((name) => /^images_\d+$/.test(name)).sort();
  return numbered.length > 0 ? numbered.map((name) => join(root, name, 'images')) : [root];
}

/** Which of several folders holds each row; a file that is nowhere is looked for, and missed, in the first. */
async function folderFinder(names: NameTable, folders: readonly string[]): Promise<(row: number) => string> {
  const first = folders[0]!;
  if (folders.length === 1) return () => first;
  const folderOfName = new Map<string, number>();
  for (const [i, folder] of folders.entries())
    for (const name of await readdir(folder)) folderOfName.set(name, i);
  const codes = Uint8Array.from({ length: names.length }, (_, row) => folderOfName.get(names.at(row)) ?? 0);
  return (row) => folders[codes[row]!]!;
}
