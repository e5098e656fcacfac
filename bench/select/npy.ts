// Matrices of float32 as NumPy's files.

import { readFileSync, writeFileSync } from 'node:fs';

export function writeNpy(path: string, values: Float32Array, rows: number, width: number): void {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${width}), }`;
  const header = `${text.padEnd(64 * Math.ceil((text.length + 11) / 64) - 11)}\n`;
  const start = Buffer.alloc(10);
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  writeFileSync(path, Buffer.concat([start, Buffer.from(header, 'latin1'), bytes]));
}

export function readNpy(path: string): { readonly values: Float32Array; readonly width: number } {
  const bytes = readFileSync(path);
  const length = bytes.readUInt16LE(8);
  const [, width = '0'] = /, (\d+)\)/.exec(bytes.toString('latin1', 10, 10 + length)) ?? [];
  const data = Uint8Array.from(bytes.subarray(10 + length));
  return { values: new Float32Array(data.buffer), width: Number(width) };
}
