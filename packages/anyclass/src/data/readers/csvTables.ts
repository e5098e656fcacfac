import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import type { DatasetTable, SplitName } from '../dataset.js';
import { fileImages, folderByRow } from '../images/fileImages.js';
import { readCsv } from './csv.js';
import { splitFromWord, tableCollector } from './tableCollector.js';
import { type TableLayout, type TableOptions, tableLayout } from './tableLayout.js';

export interface CsvTableOptions extends TableOptions {
  /** Folder that the image names are relative to. Default: the table's own, or `images` in it. */
  readonly imageFolder?: string;
}

/**
 * A dataset from one or several CSV files with the same classes: a 0/1 column per class, or one column of separated
 * labels. Files called train, val and test, alone or as the first or last word, are those splits.
 *
 * @example
 * await readCsvTables(['data/train.csv', 'data/val.csv'], { groupColumn: 'pipe' })
 */
export async function readCsvTables(
  paths: readonly string[],
  options: CsvTableOptions,
): Promise<DatasetTable> {
  const table = tableCollector(options);
  const firstRows: number[] = [];
  const firstNames: (string | undefined)[] = [];
  let firstClasses: string | undefined;
  for (const path of paths) {
    const file = basename(path);
    const split = paths.length > 1 ? splitFromFileName(file) : undefined;
    firstRows.push(table.rows);
    let firstName: string | undefined;
    await readCsv(path, (columns) => {
      const layout = tableLayout(columns, file, options);
      const classes = describeLabels(layout);
      firstClasses ??= classes;
      if (classes !== firstClasses) {
        throw new DataError(`${file}: ${classes}, but ${basename(paths[0]!)} has ${firstClasses}`);
      }
      return (cells, line) => {
        firstName ??= cells[layout.image]!;
        table.add(cells, layout, () => `${file}, line ${line}`, split);
      };
    });
    if (firstName === undefined) throw new DataError(`${file}: a header and no rows below it`);
    firstNames.push(firstName);
  }
  const { groups, fixedSplits, ...collected } = table.finish(nameOfTables(paths));
  const folders = paths.map((path, i) => ({
    firstRow: firstRows[i]!,
    folder: options.imageFolder ?? imageFolderBeside(path, firstNames[i]!),
  }));
  return {
    name: nameOfTables(paths),
    ...collected,
    images: fileImages(collected.names, folderByRow(folders)),
    remarks: [],
    ...(groups && { groups }),
    ...(fixedSplits && { fixedSplits }),
  };
}

/** The split that a file name speaks of: train.csv, instances_val2017.json, train-00000-of-00004.parquet. */
export function splitFromFileName(file: string): SplitName | undefined {
  const words = file
    .replace(/\..*$/, '')
    .split(/[-_]/)
    .map((word) => word.replace(/\d+$/, ''));
  return splitFromWord(words[0] ?? '') ?? splitFromWord(words.at(-1) ?? '');
}

/** A short name for a dataset of these files. */
export function nameOfTables(paths: readonly string[]): string {
  return paths.length === 1 ? basename(paths[0]!) : basename(dirname(paths[0]!));
}

/** Images lie beside the table or in `images`; the first row tells which. */
function imageFolderBeside(path: string, firstName: string): string {
  const beside = dirname(path);
  const below = join(beside, 'images');
  return !existsSync(join(beside, firstName)) && existsSync(below) ? below : beside;
}

function describeLabels({ labels }: TableLayout): string {
  return labels.kind === 'separated' ? 'one column of labels' : `the classes ${labels.classes.join(', ')}`;
}
