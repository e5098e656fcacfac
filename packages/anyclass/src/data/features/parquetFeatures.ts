// Feature vectors in Parquet: one column of lists (`features`, `embedding`), or one
// column of numbers per feature.

import { DataError } from '../../errors/dataError.js';
import type { ParquetFile } from '../tables/parquet/parquetFile.js';
import type { FeatureTable } from './featureTable.js';

/** A column of a Parquet file, from its schema. */
export interface ParquetColumn {
  readonly name: string;
  /** `bytes` includes structs, in which Hugging Face stores images. */
  readonly kind: 'numbers' | 'number' | 'bytes' | 'other';
}

const listNames = ['features', 'embedding', 'embeddings', 'feature', 'vector'];

/**
 * The columns directly below the root of the schema. Parquet stores the schema as a flat
 * list in depth-first order.
 *
 * @example
 * parquetColumns(file) // [{ name: 'features', kind: 'numbers' }, { name: 'crack', kind: 'number' }]
 */
export function parquetColumns({ metadata: { schema } }: ParquetFile): ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  for (let i = 1; i < schema.length; i = afterElement(schema, i)) {
    const element = schema[i]!;
    const end = afterElement(schema, i);
    const isNested = (element.num_children ?? 0) > 0;
    const isList = element.repetition_type === 'REPEATED' || schema[i + 1]?.name === 'list';
    const leaf = schema[end - 1]!;
    const isNumeric =
      /^(FLOAT|DOUBLE|INT32|INT64|BOOLEAN)$/.test(leaf.type ?? '') || leaf.logical_type?.type === 'FLOAT16';
    const isText = element.converted_type === 'UTF8' || element.logical_type?.type === 'STRING';
    const kind = (): ParquetColumn['kind'] => {
      if (isNumeric && !isNested) return isList ? 'numbers' : 'number';
      if (isNumeric && isList && end - i === 3) return 'numbers';
      const isBytes = element.type === 'BYTE_ARRAY' && !isText;
      return isBytes || (isNested && !isList) ? 'bytes' : 'other';
    };
    columns.push({ name: element.name, kind: kind() });
  }
  return columns;
}

function afterElement(schema: ParquetFile['metadata']['schema'], i: number): number {
  let next = i + 1;
  for (let child = 0; child < (schema[i]?.num_children ?? 0); child++) next = afterElement(schema, next);
  return next;
}

/** How feature vectors are read from rows. */
export interface ParquetVectors {
  readonly columns: readonly string[];
  /**
   * Adds a row's vector to the table. The first row starts the file: only then is the length of a list known.
   */
  take(table: FeatureTable, row: Readonly<Record<string, unknown>>, where: () => string): void;
}

/** Vectors from one column of lists. */
export function listVectors(column: string, file: string): ParquetVectors {
  let width: number | undefined;
  return {
    columns: [column],
    take(table, row, where) {
      const value = row[column];
      const values = isNumbers(value) ? value : undefined;
      if (!values) throw new DataError(`${where()}: '${column}' is not a list of numbers`);
      if (width === undefined) {
        width = values.length;
        if (width === 0) throw new DataError(`${where()}: '${column}' is an empty list`);
        table.startFile(file, width);
      }
      if (values.length !== width) {
        throw new DataError(
          `${where()}: '${column}' has ${values.length} numbers; the first row has ${width}`,
        );
      }
      table.add(finite(values, (i) => `${where()}: '${column}', number ${i},`));
    },
  };
}

/** Vectors from one column per feature. */
export function columnVectors(columns: readonly string[], file: string): ParquetVectors {
  let isStarted = false;
  return {
    columns,
    take(table, row, where) {
      if (!isStarted) table.startFile(file, columns);
      isStarted = true;
      table.add(
        finite(
          columns.map((name) => numberIn(row[name], name, where)),
          (i) => `${where()}: feature '${columns[i]}'`,
        ),
      );
    },
  };
}

/** The column of lists that is used for features if none is named. */
export function listColumn(columns: readonly ParquetColumn[]): string | undefined {
  const lists = columns.filter(({ kind }) => kind === 'numbers').map(({ name }) => name);
  return listNames.find((name) => lists.includes(name));
}

export function rowName(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value);
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView) && !(value instanceof Uint8Array);
  return Array.isArray(value) && value.every((item) => typeof item === 'number' || item === null);
}

function numberIn(value: unknown, column: string, where: () => string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return Number.NaN;
  throw new DataError(`${where()}: feature '${column}' is not a number`);
}

/** The values in single precision, with NaN for missing ones; infinite numbers are refused. */
function finite(values: ArrayLike<number>, where: (i: number) => string): Float32Array {
  return Float32Array.from(values, (value, i) => {
    if (value === null || value === undefined || Number.isNaN(value)) return Number.NaN;
    if (Number.isFinite(Math.fround(value))) return value;
    throw new DataError(`${where(i)} is ${value}; expected a finite number`);
  });
}
