// NumPy's file format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

import { DataError } from '../../errors/dataError.js';
import type { HeaderReader, MatrixPlace, NumberType } from './storedMatrix.js';

const types: Readonly<Record<string, NumberType>> = {
  '<f2': 'float16',
  '<f4': 'float32',
  '<f8': 'float64',
  '|i1': 'int8',
  '|u1': 'uint8',
  '|b1': 'uint8',
  '<i2': 'int16',
  '<i4': 'int32',
  '<i8': 'int64',
};

const longestHeader = 1 << 20;

/**
 * Locates the matrix in a `.npy` file.
 *
 * @example
 * await openStoredMatrix('features.npy', npyPlace)
 */
export async function npyPlace({ size, read }: HeaderReader, name: string): Promise<MatrixPlace> {
  const start = await read(0, Math.min(12, size));
  if (start.length < 12 || start.subarray(0, 6).toString('latin1') !== '\x93NUMPY') {
    throw new DataError(`${name}: is not a .npy file as written by numpy.save`);
  }
  const version = start[6]!;
  if (version < 1 || version > 3)
    throw new DataError(`${name}: is a .npy file of version ${version}; expected 1 to 3`);
  const isLong = version >= 2;
  const length = isLong ? start.readUInt32LE(8) : start.readUInt16LE(8);
  const at = isLong ? 12 : 10;
  if (length > longestHeader || at + length > size) throw new DataError(`${name}: its header is damaged`);
  const header = (await read(at, length)).toString('latin1');
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1];
  const shape = /'shape'\s*:\s*\(([^)]*)\)/.exec(header)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)\b/.exec(header)?.[1];
  if (shape === undefined || order === undefined) throw new DataError(`${name}: its header is damaged`);
  const type = types[descr ?? ''];
  if (type === undefined) {
    throw new DataError(
      `${name}: contains ${descr === undefined ? 'a structured array' : `'${descr}'`}; expected a matrix of numbers: save it with astype('float32')`,
    );
  }
  const sizes = shape.split(',').flatMap((text) => (text.trim() === '' ? [] : [Number(text)]));
  const [rows, columns] = sizes;
  if (sizes.length !== 2 || !isCount(rows) || !isCount(columns)) {
    throw new DataError(`${name}: has shape (${shape}); expected rows x features`);
  }
  if (order === 'True') {
    throw new DataError(`${name}: is in Fortran order; save it with numpy.ascontiguousarray`);
  }
  return { rows, columns, type, start: at + length, end: size };
}

/** Fixed, so that the header can be rewritten once the rows have been counted. */
const headerBytes = 128;

/**
 * The header of a float32 `.npy` file, as numpy.save writes it, with the same length for all counts.
 *
 * @example
 * npyHeader(5000, 512).length // 128
 */
export function npyHeader(rows: number, columns: number): Buffer {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const padded = text.padEnd(headerBytes - 11, ' ');
  const start = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  start.writeUInt16LE(padded.length + 1, 8);
  return Buffer.concat([start, Buffer.from(`${padded}\n`, 'latin1')]);
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0;
}
