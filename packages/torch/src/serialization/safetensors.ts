// Weights in the safetensors format: no code in the file, and every byte accounted for.

import { constants } from 'node:buffer';
import { checksumVerifier, verifyChecksums } from './checksums.js';
import { SafetensorsError } from './errors.js';
import { withFile } from './randomAccessFile.js';
import { parseHeader, type SafetensorsHeader } from './safetensorsHeader.js';
import type { StoredTensor } from './storedTensor.js';

export type { SafetensorsEntry, SafetensorsHeader } from './safetensorsHeader.js';
export { type WriteSafetensorsOptions, writeSafetensors } from './safetensorsWrite.js';

/** What a safetensors file holds. The tensors are in the order of their bytes. */
export interface SafetensorsFile {
  readonly tensors: Map<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How to read a safetensors file. */
export interface ReadSafetensorsOptions {
  /** Which tensors to read; all of them unless given. The header is checked as a whole either way. */
  readonly select?: (name: string) => boolean;
}

/**
 * Reads a safetensors file by copying: each tensor has a buffer of its own, and the file may change afterwards. What is read is
 * compared with its checksums, where the file has them.
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

/** What is done with a safetensors file as it is read. */
export interface SafetensorsVisitor {
  /** Before any tensor is read. */
  readonly header?: (header: SafetensorsHeader) => void;
  /** Each tensor in turn; its data is valid only until the next one is read. */
  readonly tensor: (name: string, tensor: StoredTensor) => void;
}

/**
 * Reads a safetensors file one tensor at a time, into memory for the largest of them, and compares each with its checksum where
 * the file has them.
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
 * Reads and checks what a safetensors file says about itself, and none of the data: enough to list it or to map it into
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
 * Reads a whole safetensors file and compares it with the checksums in its metadata.
 *
 * @returns false for a file without checksums, about which nothing is known
 * @throws SafetensorsError with the tensor that differs
 *
 * @example
 * verifySafetensors('runs/sewer/model.safetensors') // true
 */
export function verifySafetensors(path: string): boolean {
  return withFile(path, SafetensorsError, (file) => verifyChecksums(file, parseHeader(file)));
}
