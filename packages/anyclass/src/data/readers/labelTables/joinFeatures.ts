// Joins labels from one file with features from another.

import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { counted } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import { absentImages } from '../../dataset/absentImages.js';
import type { DatasetTable } from '../../dataset/dataset.js';
import type { FeatureSource } from '../../dataset/featureSource.js';
import type { NameTable } from '../../dataset/nameTable.js';
import { readFeatureRows } from '../../features/featureRows.js';
import { isMatrixFile, openMatrix } from '../../features/matrixFile.js';
import { type CsvTableOptions, nameOfTables, readCsvTables } from './csvTables.js';

/**
 * Reads a dataset from feature matrices, each next to a label table of the same name, row by row:
 * `features.npy` and `features.csv`.
 *
 * @example
 * await readMatrices(['features.npy'], {})
 */
export async function readMatrices(
  paths: readonly string[],
  options: CsvTableOptions,
): Promise<DatasetTable> {
  const tables = paths.map(tableBeside);
  const table = await readCsvTables(tables, { ...options, featuresElsewhere: true });
  const features = await joinedMatrices(paths);
  try {
    refuseOtherRows(features.rows, table, paths.map(shownName).join(', '), tables.map(shownName).join(', '));
    return withFeatures(table, features, nameOfTables(paths));
  } catch (error) {
    await features.close();
    throw error;
  }
}

/**
 * Reads a dataset from label tables and one file of features (`data.features`): a matrix is joined row by
 * row, a table by row names.
 *
 * @example
 * await readWithFeatures(['labels.csv'], 'embeddings.parquet', {})
 */
export async function readWithFeatures(
  paths: readonly string[],
  features: string,
  options: CsvTableOptions,
): Promise<DatasetTable> {
  if (!existsSync(features)) throw new DataError(`data.features: no such file '${shownPath(features)}'`);
  const table = await readCsvTables(paths, { ...options, featuresElsewhere: true });
  if (isMatrixFile(features)) {
    const matrix = await openMatrix(features);
    try {
      refuseOtherRows(matrix.rows, table, shownName(features), paths.map(shownName).join(', '));
    } catch (error) {
      await matrix.close();
      throw error;
    }
    return withFeatures(table, matrix, table.name);
  }
  const rows = await readFeatureRows(features, { columns: options.featureColumns });
  return withFeatures(table, byName(rows.source, rows.names, table.names, shownName(features)), table.name);
}

/** The label table that belongs to a matrix. */
function tableBeside(path: string): string {
  const stem = path.slice(0, -extname(path).length);
  const names = [`${stem}.csv`, `${stem}.csv.gz`, `${stem}.tsv`];
  const found = names.find((name) => existsSync(name));
  if (found !== undefined) return found;
  throw new DataError(
    `${shownPath(path)}: no labels next to it; put '${basename(stem)}.csv' there, with one row per row of the matrix, or use the labels as the dataset and this file as data.features`,
    { setting: `data.features=${path}` },
  );
}

async function joinedMatrices(paths: readonly string[]): Promise<FeatureSource & { readonly rows: number }> {
  const parts: Awaited<ReturnType<typeof openMatrix>>[] = [];
  const close = async () => {
    for (const part of parts) await part.close();
  };
  try {
    for (const path of paths) {
      const part = await openMatrix(path);
      parts.push(part);
      const [first] = parts;
      if (part.names.length !== first!.names.length) {
        throw new DataError(
          `${shownName(path)}: has ${counted(part.names.length, 'feature')}, but ${shownName(paths[0]!)} has ${first!.names.length}`,
        );
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, { rows }) => sum + rows, 0));
  const { names } = parts[0]!;
  return {
    names,
    isNumbered: true,
    rows: starts.at(-1)! + parts.at(-1)!.rows,
    close,
    async read(rows, out) {
      if (parts.length === 1) return parts[0]!.read(rows, out);
      // Row by row, since each may be in any of the files.
      for (const [i, row] of rows.entries()) {
        const part = starts.findLastIndex((start) => start <= row);
        const place = out.subarray(i * names.length, (i + 1) * names.length);
        await parts[part]!.read(Int32Array.of(row - starts[part]!), place);
      }
    },
  };
}

function refuseOtherRows(rows: number, table: DatasetTable, matrix: string, labels: string): void {
  if (rows === table.names.length) return;
  throw new DataError(
    `${matrix}: has ${counted(rows, 'row')}, but ${labels} has ${table.names.length}; both must have the same rows in the same order`,
  );
}

function withFeatures(table: DatasetTable, features: FeatureSource, name: string): DatasetTable {
  const images = absentImages(`${name} has features, not images`, () => features.close());
  return { ...table, name, images, features };
}

/** The features in the order of the labels. */
function byName(source: FeatureSource, names: NameTable, wanted: NameTable, file: string): FeatureSource {
  const rowOf = new Map<string, number>();
  for (let row = 0; row < names.length; row++) {
    if (rowOf.has(names.at(row)))
      throw new DataError(`${file}, row ${row}: '${names.at(row)}' appears twice`);
    rowOf.set(names.at(row), row);
  }
  const places = Int32Array.from({ length: wanted.length }, (_, row) => {
    const found = rowOf.get(wanted.at(row));
    if (found === undefined) throw new DataError(`${file}: no features for '${wanted.at(row)}'`);
    return found;
  });
  return {
    ...source,
    read: (rows, out) =>
      source.read(
        rows.map((row) => places[row]!),
        out,
      ),
  };
}

function shownName(path: string): string {
  return basename(path);
}
