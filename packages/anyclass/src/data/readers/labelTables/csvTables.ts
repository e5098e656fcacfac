import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { absentImages } from '../../dataset/absentImages.js';
import type { DatasetTable } from '../../dataset/dataset.js';
import { tableFeatures } from '../../features/tableFeatures.js';
import { fileImages, folderByRow } from '../../images/storage/fileImages.js';
import { readCsv } from '../../tables/csv.js';
import { type TableLayout, type TableOptions, tableLayout } from '../../tables/tableLayout.js';
import { imageNaming, rowNaming } from '../imageNames.js';
import { splitFromFileName } from '../splitWords.js';
import { tableCollector } from './tableCollector.js';

export interface CsvTableOptions extends TableOptions {
  /** Folder that the image names are relative to. Default: the table's folder, or `images` in it. */
  readonly imageFolder?: string;
  /** Whether the rows' features are in another file, to be joined. */
  readonly featuresElsewhere?: boolean;
}

/**
 * Reads a dataset from one or several CSV files with the same classes: a 0/1 column per class, one
 * column of separated labels, or one row per image and label. With feature columns, each row is a
 * feature vector instead of an image. Several files with train, val, or test as their name, or as its
 * first or last word, are those splits.
 *
 * @example
 * await readCsvTables(['data/train.csv', 'data/val.csv'], { groupColumn: 'pipe' })
 */
export async function readCsvTables(
  paths: readonly string[],
  options: CsvTableOptions,
): Promise<DatasetTable> {
  const table = tableCollector(options);
  const features = tableFeatures(options, options.featuresElsewhere ?? false);
  const firstRows: number[] = [];
  const firstNames: (string | undefined)[] = [];
  let firstClasses: string | undefined;
  for (const path of paths) {
    const file = basename(path);
    const naming = imageNaming(options.imageFolder ?? dirname(path));
    firstRows.push(table.rows);
    let firstName: string | undefined;
    await readCsv(path, (columns) => {
      const own = features.startFile(columns, file);
      const layout = tableLayout(own?.columns ?? columns, file, own?.options ?? options);
      const classes = describeLabels(layout);
      firstClasses ??= classes;
      if (classes !== firstClasses) {
        throw new DataError(`${file}: ${classes}, but ${basename(paths[0]!)} has ${firstClasses}`);
      }
      const placeOf = (line: number) => `${file}, line ${line}`;
      const split = paths.length > 1 ? splitFromFileName(file) : undefined;
      table.startFile({
        layout,
        placeOf,
        naming: own ? rowNaming : naming,
        split,
        isMergeable: own === undefined,
      });
      return (cells, line) => {
        const where = () => placeOf(line);
        table.add(own ? own.take(cells, where) : cells, line);
        firstName ??= own ? file : naming(cells[layout.image]!, where);
      };
    });
    if (firstName === undefined) throw new DataError(`${file}: has a header but no rows`);
    firstNames.push(firstName);
  }
  const { groups, fixedSplits, sourceRow, ...collected } = table.finish(nameOfTables(paths));
  const name = nameOfTables(paths);
  const shared = { name, ...collected, ...(groups && { groups }), ...(fixedSplits && { fixedSplits }) };
  const vectors = features.finish();
  if (vectors || options.featuresElsewhere) {
    const images = absentImages(`${name} has features, not images`);
    return { ...shared, images, ...(vectors && { features: vectors }) };
  }
  const folderOf = folderByRow(
    paths.map((path, i) => ({
      firstRow: firstRows[i]!,
      folder: options.imageFolder ?? imageFolderBeside(path, firstNames[i]!),
    })),
  );
  return { ...shared, images: fileImages(collected.names, (image) => folderOf(sourceRow(image))) };
}

/** A short name for a dataset of these files. */
export function nameOfTables(paths: readonly string[]): string {
  return paths.length === 1 ? basename(paths[0]!) : basename(dirname(paths[0]!));
}

/** The folder of the images, next to the table or in `images`; the first row decides. */
function imageFolderBeside(path: string, firstName: string): string {
  const beside = dirname(path);
  const below = join(beside, 'images');
  return !existsSync(join(beside, firstName)) && existsSync(below) ? below : beside;
}

function describeLabels({ labels }: TableLayout): string {
  return labels.kind === 'separated' ? 'one column of labels' : `the classes ${labels.classes.join(', ')}`;
}
