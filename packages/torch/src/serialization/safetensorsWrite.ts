// Writes safetensors files: the same tensors always give the same bytes, in the reference implementation's order.

import { writeFileAtomically } from '@anyclass/files';
import { checksumsKey, checksumsOf } from './checksums.js';
import { quoted, SafetensorsError } from './errors.js';
import { longestHeader, metadataKey, safetensorsDTypes } from './safetensorsHeader.js';
import { type StoredTensor, storedDTypes, tensorBytes } from './storedTensor.js';

export interface WriteSafetensorsOptions {
  /**
   * Adds checksums to the metadata, which our readers verify and others ignore. The `data` of each tensor is then read
   * twice, since the header comes first. Default false.
   */
  readonly checksums?: boolean;
}

/**
 * Writes a safetensors file that is complete or absent: it is written next to the target, flushed to disk, then renamed.
 * A failure leaves the old file as it was.
 *
 * The `data` of each tensor is read once, when it is written. A getter there can fetch the tensor from a device, so that
 * only one is in memory at a time.
 *
 * @example
 * const bias = { dtype: 'float32', shape: [2], data: new Uint8Array(new Float32Array([0.5, -1]).buffer) } as const;
 * writeSafetensors('model.safetensors', [['fc.bias', bias]], { epoch: '3' }); // a file of 112 bytes
 */
export function writeSafetensors(
  path: string,
  tensors: Iterable<readonly [string, StoredTensor]>,
  metadata: Readonly<Record<string, string>> = {},
  { checksums = false }: WriteSafetensorsOptions = {},
): void {
  const placed = place(path, tensors);
  const sums = checksums
    ? checksumsOf(
        placed.map(({ name, tensor }) => [name, tensor]),
        metadata,
      )
    : undefined;
  const header = encodeHeader(
    path,
    placed,
    sums === undefined ? metadata : { ...metadata, [checksumsKey]: sums },
  );
  writeFileAtomically(path, (write) => {
    write(lengthPrefix(header));
    write(header);
    for (const { name, tensor, byteLength } of placed) {
      const { data } = tensor;
      if (data.byteLength !== byteLength) {
        const expected = `${tensor.dtype} of shape [${tensor.shape.join(', ')}] takes ${byteLength}`;
        throw new SafetensorsError(
          path,
          `tensor ${quoted(name)} has ${data.byteLength} bytes of data; ${expected}`,
        );
      }
      write(data);
    }
  });
}

interface PlacedTensor {
  readonly name: string;
  readonly tensor: StoredTensor;
  readonly byteLength: number;
}

function place(path: string, tensors: Iterable<readonly [string, StoredTensor]>): PlacedTensor[] {
  const names = new Set<string>();
  const placed: (PlacedTensor & { readonly rank: number; readonly nameBytes: Buffer })[] = [];
  for (const [name, tensor] of tensors) {
    const error = (problem: string) => new SafetensorsError(path, `tensor ${quoted(name)} ${problem}`);
    if (name === metadataKey) throw error('has the name that the format reserves for metadata; rename it');
    if (!isUnicode(name)) throw error('has a name that is not valid Unicode');
    if (names.has(name)) throw error('is given twice; names must differ');
    names.add(name);
    // The widest elements come first, so that each tensor is aligned when the header ends on a multiple of 8.
    const rank = storedDTypes.indexOf(tensor.dtype);
    if (rank < 0) {
      throw error(`has dtype ${quoted(String(tensor.dtype))}; expected ${storedDTypes.join(', ')}`);
    }
    const byteLength = tensorBytes(tensor.dtype, tensor.shape);
    if (byteLength === undefined) throw error(`has the impossible shape [${tensor.shape.join(', ')}]`);
    placed.push({ name, tensor, byteLength, rank, nameBytes: Buffer.from(name) });
  }
  // Sorted by the bytes of the names; JavaScript's own order differs beyond the basic plane.
  return placed.sort((a, b) => a.rank - b.rank || Buffer.compare(a.nameBytes, b.nameBytes));
}

/** Encodes the header by hand, since an object would put names such as '10' before all others. */
function encodeHeader(
  path: string,
  placed: readonly PlacedTensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const members: string[] = [];
  const texts = Object.entries(metadata).map(([key, text]) => metadataMember(path, key, text));
  if (texts.length > 0) members.push(`"${metadataKey}":{${texts.sort().join(',')}}`);
  let offset = 0;
  for (const { name, tensor, byteLength } of placed) {
    const end = offset + byteLength;
    const place = `"shape":[${tensor.shape.join(',')}],"data_offsets":[${offset},${end}]`;
    members.push(`${JSON.stringify(name)}:{"dtype":"${safetensorsDTypes[tensor.dtype]}",${place}}`);
    offset = end;
  }
  const json = Buffer.from(`{${members.join(',')}}`);
  const padded = Buffer.alloc(Math.ceil(json.length / 8) * 8, ' ');
  json.copy(padded);
  if (padded.length > longestHeader) {
    throw new SafetensorsError(
      path,
      `the header takes ${padded.length} bytes, over the limit of ${longestHeader}`,
    );
  }
  return padded;
}

function metadataMember(path: string, key: string, text: string): string {
  if (typeof text !== 'string' || !isUnicode(key) || !isUnicode(text)) {
    throw new SafetensorsError(path, `metadata entry ${quoted(key)} is not a string of valid Unicode`);
  }
  return `${JSON.stringify(key)}:${JSON.stringify(text)}`;
}

function lengthPrefix(header: Uint8Array): Uint8Array {
  const prefix = new Uint8Array(8);
  new DataView(prefix.buffer).setBigUint64(0, BigInt(header.length), true);
  return prefix;
}

function isUnicode(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
