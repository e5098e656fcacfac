// The header of a safetensors file: 8 bytes with its length, then JSON that says what each byte of the rest means.
// Format: https://github.com/huggingface/safetensors#format. The limits and checks are the reference implementation's;
// with a lenient reader, one file could mean two things.

import { quoted } from './errors.js';
import type { RandomAccessFile } from './randomAccessFile.js';
import { isCount, type StoredDType, tensorBytes } from './storedTensor.js';
import { parseStrictJson } from './strictJson.js';

/** Type, shape and position of a tensor; `byteOffset` counts from the start of the file. */
export interface SafetensorsEntry {
  readonly dtype: StoredDType;
  readonly shape: readonly number[];
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** What a file says about its tensors, in file order. */
export interface SafetensorsHeader {
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The reference implementation neither writes nor reads a longer header. */
export const longestHeader = 100_000_000;

/** The key of the header that holds text instead of a tensor. */
export const metadataKey = '__metadata__';

/** The format's names for the element types. */
export const safetensorsDTypes: Readonly<Record<StoredDType, string>> = {
  float64: 'F64',
  float32: 'F32',
  float16: 'F16',
  bfloat16: 'BF16',
  int64: 'I64',
  int32: 'I32',
  int16: 'I16',
  int8: 'I8',
  uint8: 'U8',
  bool: 'BOOL',
};

/**
 * Reads and checks the header of an open file.
 *
 * @example
 * withFile('model.safetensors', SafetensorsError, parseHeader).entries.get('fc.bias')?.shape // [17]
 */
export function parseHeader(file: RandomAccessFile): SafetensorsHeader {
  const length = headerLength(file);
  const dataStart = 8 + length;
  const { [metadataKey]: metadata, ...described } = headerObject(file, length);
  const entries = Object.entries(described)
    .map(([name, description]) => ({ name, ...describedTensor(file, name, description) }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  refuseGapsAndOverlaps(file, entries, file.size - dataStart);
  return {
    entries: new Map(
      entries.map(({ name, dtype, shape, start, end }) => [
        name,
        { dtype, shape, byteOffset: dataStart + start, byteLength: end - start },
      ]),
    ),
    metadata: metadata === undefined ? {} : textMetadata(file, metadata),
  };
}

interface DescribedTensor {
  readonly dtype: StoredDType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

const dtypesByName: ReadonlyMap<unknown, StoredDType> = invert(safetensorsDTypes);

function headerLength(file: RandomAccessFile): number {
  if (file.size < 8) throw file.error(`is not a safetensors file: ${file.size} bytes cannot hold a header`);
  const length = new DataView(file.read(0, 8).buffer).getBigUint64(0, true);
  if (length > longestHeader) {
    throw file.error(
      `claims a header of ${length} bytes, over the limit of ${longestHeader}; is it a safetensors file?`,
    );
  }
  if (length > file.size - 8) {
    throw file.error(
      `claims a header of ${length} bytes but has ${file.size - 8} after its length; truncated?`,
    );
  }
  return Number(length);
}

function headerObject(file: RandomAccessFile, length: number): Record<string, unknown> {
  const bytes = file.read(8, length);
  if (bytes[0] !== 0x7b)
    throw file.error("has a header that does not begin with '{'; is it a safetensors file?");
  let header: unknown;
  try {
    header = parseStrictJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw file.error(`has a header that is not valid JSON: ${reason}`, { cause });
  }
  // The text begins with '{', so the parser can only have produced an object.
  if (!isObject(header)) throw file.error('has a header that is not a JSON object');
  return header;
}

function describedTensor(file: RandomAccessFile, name: string, description: unknown): DescribedTensor {
  const error = (problem: string) => file.error(`tensor ${quoted(name)} ${problem}`);
  if (/\p{Surrogate}/u.test(name)) throw error('has a name that is not valid Unicode');
  if (!isObject(description)) throw error('is not described by a JSON object');
  const { dtype: dtypeName, shape, data_offsets: offsets } = description;
  const dtype = dtypesByName.get(dtypeName);
  if (dtype === undefined) {
    const known = Object.values(safetensorsDTypes).join(', ');
    throw error(`has dtype ${shown(dtypeName)}, which is not supported; expected one of ${known}`);
  }
  if (!isListOfCounts(shape)) {
    throw error(`has shape ${shown(shape)}; expected a list of whole numbers of at least 0`);
  }
  const bytes = tensorBytes(dtype, shape);
  if (bytes === undefined) throw error(`has shape ${shown(shape)}, more elements than can be counted`);
  if (!isListOfCounts(offsets) || offsets.length !== 2) {
    throw error(`has data_offsets ${shown(offsets)}; expected [start, end]`);
  }
  const [start = 0, end = 0] = offsets;
  if (start > end) throw error(`has data_offsets ${shown(offsets)}, which end before they start`);
  if (end - start !== bytes) {
    throw error(`has ${end - start} bytes of data; ${dtypeName} of shape ${shown(shape)} takes ${bytes}`);
  }
  return { dtype, shape, start, end };
}

function refuseGapsAndOverlaps(
  file: RandomAccessFile,
  tensors: readonly (DescribedTensor & { readonly name: string })[],
  dataLength: number,
): void {
  let covered = 0;
  let previous = 'the header';
  for (const { name, start, end } of tensors) {
    if (start !== covered) {
      const fault = start < covered ? 'overlaps' : 'leaves a hole after';
      throw file.error(`tensor ${quoted(name)} at ${shown([start, end])} ${fault} ${previous}`);
    }
    if (end > dataLength) {
      throw file.error(
        `tensor ${quoted(name)} ends at byte ${end} of ${dataLength} bytes of data; truncated?`,
      );
    }
    covered = end;
    previous = `tensor ${quoted(name)}`;
  }
  if (covered !== dataLength) {
    throw file.error(`has ${dataLength - covered} bytes after ${previous} that belong to no tensor`);
  }
}

function textMetadata(file: RandomAccessFile, metadata: unknown): Record<string, string> {
  if (!isObject(metadata)) throw file.error(`has ${metadataKey} that is not a JSON object`);
  const texts: [string, string][] = [];
  for (const [key, text] of Object.entries(metadata)) {
    if (typeof text !== 'string') {
      throw file.error(`has ${metadataKey} entry ${quoted(key)} of type ${typeof text}; expected a string`);
    }
    texts.push([key, text]);
  }
  return Object.fromEntries(texts);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function invert<Key extends string>(record: Readonly<Record<Key, string>>): Map<unknown, Key> {
  const inverse = new Map<unknown, Key>();
  for (const key in record) inverse.set(record[key], key);
  return inverse;
}
