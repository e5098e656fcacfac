// SewerML. Haurum and Moeslund, "Sewer-ML: A Multi-Label Sewer Defect Classification Dataset and Benchmark", CVPR 2021.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';
import type { DatasetTable, SplitName } from '../dataset.js';
import { fileImages, folderByRow } from '../images/fileImages.js';
import { labelMatrixBuilder } from '../labelMatrix.js';
import { nameTableBuilder } from '../nameTable.js';
import { readCsv } from './csv.js';
import { imageNaming } from './imageNames.js';

/** The 17 defect codes in the order of the benchmark, with their class-importance weights. */
export const sewermlClasses: Readonly<Record<string, number>> = {
  RB: 1,
  OB: 0.5518,
  PF: 0.2896,
  DE: 0.1622,
  FS: 0.6419,
  IS: 0.1847,
  RO: 0.3559,
  IN: 0.3131,
  AF: 0.0811,
  BE: 0.2275,
  FO: 0.2477,
  GR: 0.0901,
  PH: 0.4167,
  PB: 0.4167,
  OS: 0.9009,
  OP: 0.3829,
  OK: 0.4396,
};

const files: readonly {
  readonly split: SplitName;
  readonly file: string;
  readonly folders: readonly string[];
}[] = [
  { split: 'train', file: 'SewerML_Train.csv', folders: ['train', 'Train', 'images/train', 'images'] },
  {
    split: 'validation',
    file: 'SewerML_Val.csv',
    folders: ['val', 'valid', 'Val', 'Valid', 'images/val', 'images'],
  },
  { split: 'test', file: 'SewerML_Test.csv', folders: ['test', 'Test', 'images/test', 'images'] },
];

/**
 * SewerML from its three tables (those that are there) in `root` or its `annotations`, images in one folder per split or all in
 * `images`. A row with none of the 17 codes is negative, whatever its column `Defect` says; rows where the two disagree are
 * counted and named.
 *
 * @example
 * const sewer = await readSewerml('data/sewerml');
 * sewer.classes.length // 17
 */
export async function readSewerml(root: string): Promise<DatasetTable> {
  const classes = Object.keys(sewermlClasses);
  const names = nameTableBuilder();
  const labels = labelMatrixBuilder(classes.length);
  const parts: { firstRow: number; folder: string; split: SplitName }[] = [];
  const disagreeing: { count: number; examples: string[] } = { count: 0, examples: [] };
  for (const { split, file, folders } of files) {
    const path = [join(root, file), join(root, 'annotations', file)].find((candidate) =>
      existsSync(candidate),
    );
    if (path === undefined) continue;
    const folder = folders.map((name) => join(root, name)).find((candidate) => existsSync(candidate));
    const naming = imageNaming(folder ?? join(root, folders[0]!));
    parts.push({ firstRow: names.length, folder: folder ?? join(root, folders[0]!), split });
    await readCsv(path, (columns) => {
      const filename = columns.indexOf('Filename');
      if (filename < 0) throw new DataError(`${file}, line 1: no column 'Filename'`);
      const codes = classes.map((code) => columns.indexOf(code));
      const absent = classes.filter((_, j) => codes[j] === -1);
      const unlabeled = absent.length === classes.length;
      if (absent.length > 0 && !unlabeled) {
        throw new DataError(`${file}, line 1: no column for the defect codes ${absent.join(', ')}`);
      }
      const defect = columns.indexOf('Defect');
      return (cells, line) => {
        const where = () => `${file}, line ${line}`;
        const name = naming(cells[filename]!, where);
        names.add(name);
        labels.addRow();
        if (unlabeled) {
          for (let j = 0; j < classes.length; j++) labels.set(j, Number.NaN);
          return;
        }
        let any = false;
        for (let j = 0; j < classes.length; j++) {
          const cell = cells[codes[j]!]!;
          if (cell === '1') {
            labels.set(j);
            any = true;
          } else if (cell !== '0') {
            throw new DataError(`${where()}: class column '${classes[j]}' holds '${cell}'; expected 0 or 1`);
          }
        }
        if (defect >= 0 && (cells[defect] === '1') !== any) {
          disagreeing.count += 1;
          if (disagreeing.examples.length < 10) disagreeing.examples.push(`${name} (${where()})`);
        }
      };
    });
  }
  if (parts.length === 0) {
    throw new DataError(
      `${shownPath(root)}: no SewerML_Train.csv, SewerML_Val.csv or SewerML_Test.csv in this folder or in its annotations`,
    );
  }
  const table = names.finish();
  const rowsOf = (wanted: SplitName) => {
    const i = parts.findIndex(({ split }) => split === wanted);
    const first = parts[i]?.firstRow ?? 0;
    const end = i < 0 ? 0 : (parts[i + 1]?.firstRow ?? table.length);
    return Int32Array.from({ length: end - first }, (_, k) => first + k);
  };
  const text = "rows where the column 'Defect' and the 17 labels disagree (the labels count)";
  return {
    name: 'sewerml',
    classes,
    names: table,
    labels: labels.finish(),
    images: fileImages(table, folderByRow(parts)),
    classImportance: Object.values(sewermlClasses),
    fixedSplits: {
      splits: { train: rowsOf('train'), validation: rowsOf('validation'), test: rowsOf('test') },
      origin: "SewerML's own files",
    },
    preparation: {
      channels: 3,
      mean: [0.523, 0.453, 0.345],
      std: [0.21, 0.199, 0.154],
      augmentation: 'photograph',
    },
    remarks: disagreeing.count > 0 ? [{ text, ...disagreeing }] : [],
  };
}
