// SewerML. Haurum and Moeslund, "Sewer-ML: A Multi-Label Sewer Defect Classification Dataset and Benchmark", CVPR 2021.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable, SplitName } from '../../dataset/dataset.js';
import { fileImages, folderByRow } from '../../images/storage/fileImages.js';
import { readCsv } from '../../tables/csv.js';
import { tableLayout, unlabeledLayout } from '../../tables/tableLayout.js';
import { imageNaming } from '../imageNames.js';
import type { CsvTableOptions } from '../labelTables/csvTables.js';
import { tableCollector } from '../labelTables/tableCollector.js';

/** The 17 defect codes in the benchmark's order, with their class-importance weights. */
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
 * Reads SewerML from its three tables (those that exist) in `root` or `root/annotations`, with images in one
 * folder per split, or all in `images`, below `root` or `imageFolder`. A row with none of the 17 codes is
 * negative, whatever its column `Defect` says; rows where the two disagree are counted and named.
 *
 * @example
 * const sewer = await readSewerml('data/sewerml', {});
 * sewer.classes.length // 17
 */
export async function readSewerml(root: string, options: CsvTableOptions): Promise<DatasetTable> {
  const codes = Object.keys(sewermlClasses);
  const reading = { imageColumn: 'Filename', ...options, classes: codes };
  const table = tableCollector(reading);
  const parts: { firstRow: number; folder: string }[] = [];
  const disagreeing: { count: number; examples: string[] } = { count: 0, examples: [] };
  for (const { split, file, folders } of files) {
    const path = [root, join(root, 'annotations')]
      .map((folder) => join(folder, file))
      .find((candidate) => existsSync(candidate));
    if (path === undefined) continue;
    const folder = imageFolderOf(folders, root, options.imageFolder);
    parts.push({ firstRow: table.rows, folder });
    await readCsv(path, (columns) => {
      const absent = codes.filter((code) => !columns.includes(code));
      const isUnlabeled = absent.length === codes.length;
      if (absent.length > 0 && !isUnlabeled) {
        throw new DataError(`${file}, line 1: no column for the defect codes ${absent.join(', ')}`);
      }
      const layout = isUnlabeled
        ? unlabeledLayout(columns, file, reading, codes)
        : tableLayout(columns, file, reading);
      const placeOf = (line: number) => `${file}, line ${line}`;
      table.startFile({ layout, placeOf, naming: imageNaming(folder), split, isMergeable: true });
      const defect = isUnlabeled ? -1 : columns.indexOf('Defect');
      const places = codes.map((code) => columns.indexOf(code));
      return (cells, line) => {
        let any = false;
        for (let j = 0; j < places.length && !isUnlabeled; j++) {
          const cell = cells[places[j]!];
          if (cell === '1') any = true;
          else if (cell !== '0') {
            throw new DataError(
              `${placeOf(line)}: class column '${codes[j]}' holds '${cell}'; expected 0 or 1`,
            );
          }
        }
        table.add(cells, line);
        if (defect < 0 || (cells[defect] === '1') === any) return;
        disagreeing.count += 1;
        if (disagreeing.examples.length < 10)
          disagreeing.examples.push(`${cells[layout.image]} (${placeOf(line)})`);
      };
    });
  }
  if (parts.length === 0) {
    throw new DataError(
      `${shownPath(root)}: no SewerML_Train.csv, SewerML_Val.csv, or SewerML_Test.csv in this folder or in annotations`,
    );
  }
  const { sourceRow: _, fixedSplits, groups, ...collected } = table.finish('sewerml');
  const text = `${inflected(disagreeing.count, 'row')} where the column 'Defect' and the 17 labels disagree (the labels count)`;
  return {
    name: 'sewerml',
    ...collected,
    images: fileImages(collected.names, folderByRow(parts)),
    classImportance: Object.values(sewermlClasses),
    ...(fixedSplits && {
      fixedSplits:
        options.splitColumn === undefined ? { ...fixedSplits, origin: "SewerML's own files" } : fixedSplits,
    }),
    ...(groups && { groups }),
    preparation: {
      channels: 3,
      mean: [0.523, 0.453, 0.345],
      std: [0.21, 0.199, 0.154],
      augmentation: 'photograph',
    },
    remarks: [...collected.remarks, ...(disagreeing.count > 0 ? [{ text, ...disagreeing }] : [])],
  };
}

/** The first existing folder that a split's images may be in, or else the one that the user named. */
function imageFolderOf(folders: readonly string[], root: string, imageFolder: string | undefined): string {
  const base = imageFolder ?? root;
  const found = folders.map((name) => join(base, name)).find((candidate) => existsSync(candidate));
  return found ?? imageFolder ?? join(root, folders[0]!);
}
