// A matrix of numbers in a file. Rows are read on demand, so it need not fit into memory.

import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { type FeatureSource, numberedNames } from '../dataset/featureSource.js';

/** The location of a matrix in its file, rows one after another, little-endian. */
export interface MatrixPlace {
  readonly rows: number;
  readonly columns: number;
  readonly type: NumberType;
  /** Byte offset of its first number. */
  readonly start: number;
  /** Byte offset after its last number, as the file declares it. */
  readonly end: number;
}

export type NumberType = keyof typeof numberTypes;

/** The size of each type in bytes, and how to read it. */
const numberTypes = {
  float16: { bytes: 2, read: (view: DataView, at: number) => halfAt(view.getUint16(at, true)) },
  bfloat16: { bytes: 2, read: (view: DataView, at: number) => bfloatAt(view.getUint16(at, true)) },
  float32: { bytes: 4, read: (view: DataView, at: number) => view.getFloat32(at, true) },
  float64: { bytes: 8, read: (view: DataView, at: number) => view.getFloat64(at, true) },
  int8: { bytes: 1, read: (view: DataView, at: number) => view.getInt8(at) },
  uint8: { bytes: 1, read: (view: DataView, at: number) => view.getUint8(at) },
  int16: { bytes: 2, read: (view: DataView, at: number) => view.getInt16(at, true) },
  int32: { bytes: 4, read: (view: DataView, at: number) => view.getInt32(at, true) },
  int64: { bytes: 8, read: (view: DataView, at: number) => Number(view.getBigInt64(at, true)) },
} as const;

/** A feature source with a known number of rows. */
export interface StoredMatrix extends FeatureSource {
  readonly rows: number;
}

/**
 * Opens a matrix. `locate` reads the file's header.
 *
 * @throws DataError if the file has another format, or ends early
 *
 * @example
 * const matrix = await openStoredMatrix('features.npy', npyPlace);
 * matrix.rows // 5000
 */
export async function openStoredMatrix(
  path: string,
  locate: (file: HeaderReader, name: string) => Promise<MatrixPlace>,
): Promise<StoredMatrix> {
  const name = basename(path);
  let handle: FileHandle;
  try {
    handle = await open(path);
  } catch (error) {
    throw new DataError(`${name}: cannot be read: ${reasonOf(error)}`);
  }
  try {
    const { size } = await handle.stat();
    const place = await locate(
      { size, read: (start, length) => readFully(handle, start, length, name) },
      name,
    );
    checkPlace(place, size, name);
    return sourceAt(handle, place, name);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads bytes of a file, for its header. */
export interface HeaderReader {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

function checkPlace({ rows, columns, type, start, end }: MatrixPlace, size: number, name: string): void {
  if (rows === 0 || columns === 0)
    throw new DataError(`${name}: a matrix of ${rows} x ${columns} has no features`);
  const needed = rows * columns * numberTypes[type].bytes;
  const held = Math.min(end, size) - start;
  if (held !== needed || end > size) {
    throw new DataError(
      `${name}: has ${held} bytes of numbers, but ${rows} x ${columns} of ${type} take ${needed}; is it complete?`,
    );
  }
}

function sourceAt(handle: FileHandle, place: MatrixPlace, name: string): StoredMatrix {
  const { rows, columns, type, start } = place;
  const { bytes, read } = numberTypes[type];
  const stride = columns * bytes;
  return {
    rows,
    names: numberedNames(columns),
    isNumbered: true,
    async read(wanted, out) {
      for (let i = 0; i < wanted.length; ) {
        const run = runLength(wanted, i);
        const data = await readFully(handle, start + wanted[i]! * stride, run * stride, name);
        const view = new DataView(data.buffer, data.byteOffset, data.length);
        for (let k = 0; k < run * columns; k++) {
          const value = read(view, k * bytes);
          if (!Number.isFinite(Math.fround(value)) && !Number.isNaN(value)) {
            const row = wanted[i]! + Math.floor(k / columns);
            throw new DataError(
              `${name}, row ${row}: feature ${k % columns} is ${value}; expected a finite number`,
            );
          }
          out[i * columns + k] = value;
        }
        i += run;
      }
    },
    close: () => handle.close(),
  };
}

const longestRun = 1024;

/** The number of consecutive rows from here on. */
function runLength(rows: Int32Array, from: number): number {
  let length = 1;
  while (length < longestRun && rows[from + length] === rows[from]! + length) length++;
  return length;
}

async function readFully(handle: FileHandle, start: number, length: number, name: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) throw new DataError(`${name}: ends early, at byte ${start + done}; is it complete?`);
    done += bytesRead;
  }
  return bytes;
}

function bfloatAt(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

/** IEEE 754 half precision: one sign bit, five exponent bits, ten fraction bits. */
function halfAt(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return (sign * fraction) / 2 ** 24;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
