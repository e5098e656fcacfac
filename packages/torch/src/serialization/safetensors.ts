// Weights in the safetensors format, which holds no code and accounts for every byte.

import { constants } from 'node:buffer';
import { checksumVerifier, verifyChecksums } from './checksums.js';
import { SafetensorsError } from './errors.js';
import { withFile } from './randomAccessFile.js';
import { parseHeader, type SafetensorsHeader } from './safetensorsHeader.js';
import type { StoredTensor } from './storedTensor.js';

export type { SafetensorsEntry, SafetensorsHeader } from './safetensorsHeader.js';
export { type WriteSafetensorsOptions, writeSafetensors } from './safetensorsWrite.js';

/** What a safetensors file holds. The tensors are in file order. */
export interface SafetensorsFile {
  readonly tensors: Map<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How to read a safetensors file. */
export interface ReadSafetensorsOptions {
  /** Selects the tensors to read; all by default. The whole header is checked either way. */
  readonly select?: (name: string) => boolean;
}

/**
 * Reads a safetensors file by copying: each tensor has its own buffer, and the file may change afterwards. The data is
 * checked against the file's checksums, if any.
 *
 * @example
 * const { tensors, metadata } = readSafetensors('model.safetensors');
 * tensors.get('fc.weight')?.shape // [17, 2048]
 * readSafetensors('model.safetensors', { select: (name) => name.startsWith('fc.') }).tensors.size // 2
 */
export function readSafetensors(path: string, options: ReadSafetensorsOptions = {}): SafetensorsFile {
  const { select = () => true } = options;
  return withFile(path, SafetensorsError, (file) => {
    const header = parseHeader(file);
    const verify = checksumVerifier(file, header);
    const tensors = new Map<string, StoredTensor>();
    for (const [name, { dtype, shape, byteOffset, byteLength }] of header.entries) {
      if (!select(name)) continue;
      const data = file.read(byteOffset, byteLength);
      verify?.(name, data);
      tensors.set(name, { dtype, shape, data });
    }
    return { tensors, metadata: header.metadata };
  });
}

/** Callbacks for reading a safetensors file. */
export interface SafetensorsVisitor {
  /** Called before any tensor is read. */
  readonly header?: (header: SafetensorsHeader) => void;
  /** Called with each tensor in turn; its data is valid only until the next one is read. */
  readonly tensor: (name: string, tensor: StoredTensor) => void;
}

/**
 * Reads a safetensors file one tensor at a time, into a buffer the size of the largest, and checks each against its
 * checksum, if any.
 *
 * @returns the metadata
 *
 * @example
 * visitSafetensors('model.safetensors', { tensor: (name, { shape }) => console.log(name, shape) });
 */
export function visitSafetensors(
  path: string,
  { header: begin, tensor: visit }: SafetensorsVisitor,
): Readonly<Record<string, string>> {
  return withFile(path, SafetensorsError, (file) => {
    const header = parseHeader(file);
    const verify = checksumVerifier(file, header);
    begin?.(header);
    let largest = 0;
    for (const { byteLength } of header.entries.values()) largest = Math.max(largest, byteLength);
    const buffer = new ArrayBuffer(Math.min(largest, constants.MAX_LENGTH));
    for (const [name, { dtype, shape, byteOffset, byteLength }] of header.entries) {
      const data = file.read(byteOffset, byteLength, buffer);
      verify?.(name, data);
      visit(name, { dtype, shape, data });
    }
    return header.metadata;
  });
}

/**
 * Reads and checks the header of a safetensors file without its data: enough to list the tensors or map them into
 * memory.
 *
 * @example
 * readSafetensorsHeader('model.safetensors').entries.get('fc.bias')
 * // { dtype: 'float32', shape: [17], byteOffset: 117501824, byteLength: 68 }
 */
export function readSafetensorsHeader(path: string): SafetensorsHeader {
  return withFile(path, SafetensorsError, parseHeader);
}

/**
 * Reads a whole safetensors file and checks it against the checksums in its metadata.
 *
 * @returns false for a file without checksums, which cannot be checked
 * @throws SafetensorsError with the tensor that differs
 *
 * @example
 * verifySafetensors('runs/sewer/model.safetensors') // true
 */
export function verifySafetensors(path: string): boolean {
  return withFile(path, SafetensorsError, (file) => verifyChecksums(file, parseHeader(file)));
}
