import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import {
  readSafetensors,
  readSafetensorsHeader,
  verifySafetensors,
  writeSafetensors,
} from './safetensors.js';
import type { StoredTensor } from './storedTensor.js';

const folder = testFolder();

const tensor = (values: number[], shape = [values.length]): StoredTensor => ({
  dtype: 'float32',
  shape,
  data: new Uint8Array(new Float32Array(values).buffer),
});
const tensors = [
  ['fc.weight', tensor([1, 2, 3, 4, 5, 6], [2, 3])],
  ['fc.bias', tensor([0.5, -1])],
] as const;
const file = join(folder, 'model.safetensors');
const damaged = join(folder, 'damaged.safetensors');
writeSafetensors(file, tensors, { epoch: '3', classes: 'crack,roots' }, { checksums: true });

test('a file with checksums reads like one without', () => {
  const read = readSafetensors(file);
  expect(new Map(read.tensors)).toEqual(new Map(tensors));
  expect(read.metadata).toMatchObject({ epoch: '3', classes: 'crack,roots' });
  expect(verifySafetensors(file)).toBe(true);
});

test('every changed byte is found, and the file is named', () => {
  const bytes = readFileSync(file);
  const key = bytes.indexOf('checksums');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ mask;
      // Spaces after the header have no meaning, and an entry under another name is not a checksum.
      fc.pre(!isPadding(bytes, at) && !(at >= key && at < key + 'checksums'.length));
      writeFileSync(damaged, changed);
      expect(() => verifySafetensors(damaged)).toThrow('damaged.safetensors');
      expect(() => readSafetensors(damaged)).toThrow('damaged.safetensors');
    }),
    { numRuns: 400 },
  );
});

function isPadding(bytes: Buffer, at: number): boolean {
  const end = 8 + Number(bytes.readBigUInt64LE());
  return at < end && bytes.subarray(at, end).every((byte) => byte === 0x20);
}

test('zeros in place of weights are found', () => {
  const bytes = readFileSync(file);
  bytes.fill(0, bytes.length - 32);
  writeFileSync(damaged, bytes);
  expect(() => readSafetensors(damaged)).toThrow(/is damaged: tensor "fc\.(weight|bias)"/);
});

test('a file from another program has no checksums and is read without them', () => {
  writeSafetensors(damaged, tensors, { epoch: '3' });
  expect(readSafetensorsHeader(damaged).metadata).toEqual({ epoch: '3' });
  expect(verifySafetensors(damaged)).toBe(false);
  expect(readSafetensors(damaged).tensors.size).toBe(2);
});
