// Feature vectors with row names, from any kind of file that contains them.

import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import { type FeatureSource, selectFeatures } from '../dataset/featureSource.js';
import { type NameTable, nameTableBuilder } from '../dataset/nameTable.js';
import { readArff } from '../tables/arff.js';
import { readCsv } from '../tables/csv.js';
import { featureCell } from '../tables/featureCells.js';
import { openParquet } from '../tables/parquet/parquetFile.js';
import { specialColumns } from '../tables/tableLayout.js';
import { arffFeatures } from './arffFeatures.js';
import { chosenColumns } from './featureColumns.js';
import { featureTable } from './featureTable.js';
import { isMatrixFile, openMatrix } from './matrixFile.js';
import {
  columnVectors,
  listColumn,
  listVectors,
  type ParquetColumn,
  type ParquetVectors,
  parquetColumns,
  rowName,
} from './parquetFeatures.js';

export interface FeatureRows {
  readonly names: NameTable;
  readonly source: FeatureSource;
}

export interface FeatureRowsOptions {
  /** Columns to read; may contain `*`. Default: all but special columns such as row names. */
  readonly columns?: readonly string[] | undefined;
  /** A model's features, which are found by name and returned in its order. */
  readonly wanted?: readonly string[] | undefined;
}

/**
 * Reads the feature vectors in a file: `.csv`, `.tsv`, `.parquet`, `.arff`, `.npy`, or `.safetensors`. Rows
 * without a name are called file#row.
 *
 * @example
 * const { names, source } = await readFeatureRows('fields.csv', { wanted: model.features });
 */
export async function readFeatureRows(path: string, options: FeatureRowsOptions): Promise<FeatureRows> {
  const file = basename(path);
  const { wanted } = options;
  const { names, source } = await readRows(path, file, options);
  try {
    return { names, source: wanted ? selectFeatures(source, wanted, file) : source };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function readRows(path: string, file: string, options: FeatureRowsOptions): Promise<FeatureRows> {
  const kind = extname(path.replace(/\.gz$/i, '')).toLowerCase();
  if (isMatrixFile(path)) {
    const source = await openMatrix(path);
    return { names: (await namesBeside(path, source.rows)) ?? numberedRows(file, source.rows), source };
  }
  if (kind === '.parquet') return readParquetRows(path, options);
  if (kind === '.arff') return readArffRows(path, file, options);
  if (kind === '.csv' || kind === '.tsv' || kind === '.txt') return readCsvRows(path, file, options);
  throw new DataError(
    `${file}: unknown file type '${kind}'; expected features in .csv, .parquet, .arff, .npy, or .safetensors`,
  );
}

async function readCsvRows(
  path: string,
  file: string,
  { columns: chosen, wanted }: FeatureRowsOptions,
): Promise<FeatureRows> {
  const names = nameTableBuilder();
  const features = featureTable();
  await readCsv(path, (columns) => {
    const { image, others } = specialColumns(columns, {});
    const indices = chosenColumns(columns, { chosen, wanted, image, others, file });
    const nameIndex =
      image === undefined || indices.includes(columns.indexOf(image)) ? -1 : columns.indexOf(image);
    const featureNames = indices.map((i) => columns[i]!);
    features.startFile(file, featureNames);
    return (cells, line) => {
      const where = () => `${file}, line ${line}`;
      names.add(nameIndex < 0 ? `${file}#${names.length}` : cells[nameIndex]!);
      features.add(indices.map((i, k) => featureCell(cells[i]!, featureNames[k]!, where)));
    };
  });
  return { names: names.finish(), source: features.finish() };
}

async function readArffRows(
  path: string,
  file: string,
  { wanted }: FeatureRowsOptions,
): Promise<FeatureRows> {
  const names = nameTableBuilder();
  const features = featureTable();
  await readArff(path, ({ attributes }) => {
    const vector = arffFeatures(attributes, []);
    const places = wanted?.map((name) => vector.names.indexOf(name));
    const missing = wanted?.filter((_, i) => places![i]! < 0) ?? [];
    if (missing.length > 0) {
      throw new DataError(
        `${file} lacks ${missing.length} of the model's ${wanted!.length} features: ${listed(missing)}`,
      );
    }
    features.startFile(file, wanted ?? vector.names);
    return (cells, line) => {
      const values = vector.values(cells, () => `${file}, line ${line}`);
      names.add(`${file}#${names.length}`);
      features.add(places ? places.map((place) => values[place]!) : values);
    };
  });
  return { names: names.finish(), source: features.finish() };
}

async function readParquetRows(path: string, options: FeatureRowsOptions): Promise<FeatureRows> {
  const name = basename(path);
  const file = await openParquet(path);
  try {
    const columns = parquetColumns(file);
    const all = columns.map((column) => column.name);
    const { image } = specialColumns(all, {});
    const vectors = chosenVectors(columns, options, name);
    const used = [...vectors.columns, ...(image === undefined ? [] : [image])];
    const names = nameTableBuilder();
    const table = featureTable();
    for (let g = 0; g + 1 < file.groupStarts.length; g++) {
      for await (const rows of file.readGroup(g, used)) {
        for (const row of rows) {
          const at = names.length;
          vectors.take(table, row, () => `${name}, row ${at}`);
          names.add(image === undefined ? `${name}#${at}` : rowName(row[image]));
        }
      }
    }
    if (names.length === 0) throw new DataError(`${name}: has no rows`);
    return { names: names.finish(), source: table.finish() };
  } finally {
    await file.close();
  }
}

function chosenVectors(
  columns: readonly ParquetColumn[],
  { columns: chosen, wanted }: FeatureRowsOptions,
  file: string,
): ParquetVectors {
  const all = columns.map(({ name }) => name);
  const list =
    chosen?.length === 1
      ? columns.find(({ name, kind }) => name === chosen[0] && kind === 'numbers')?.name
      : listColumn(columns);
  if (list !== undefined && !wanted?.every((name) => all.includes(name))) return listVectors(list, file);
  const { image, others } = specialColumns(all, {});
  const indices = chosenColumns(all, { chosen, wanted, image, others, file });
  return columnVectors(
    indices.map((i) => all[i]!),
    file,
  );
}

/** The names in the label table next to a matrix, if it has one for every row. */
async function namesBeside(path: string, rows: number): Promise<NameTable | undefined> {
  const table = `${path.slice(0, -extname(path).length)}.csv`;
  if (!existsSync(table)) return undefined;
  const names = nameTableBuilder();
  await readCsv(table, (columns) => {
    const { image } = specialColumns(columns, {});
    const index = image === undefined ? -1 : columns.indexOf(image);
    return (cells) => {
      if (index >= 0) names.add(cells[index]!);
    };
  });
  return names.length === rows ? names.finish() : undefined;
}

function numberedRows(file: string, rows: number): NameTable {
  const names = nameTableBuilder();
  for (let row = 0; row < rows; row++) names.add(`${file}#${row}`);
  return names.finish();
}
