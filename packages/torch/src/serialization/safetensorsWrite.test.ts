import fs, { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { SafetensorsError } from './errors.js';
import { readSafetensors, writeSafetensors } from './safetensors.js';
import type { StoredTensor } from './storedTensor.js';

// Every system call can be made to fail, as on a full disk.
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const watched = {
    writeSync: vi.fn(real.writeSync),
    fsyncSync: vi.fn(real.fsyncSync),
    renameSync: vi.fn(real.renameSync),
  };
  return { ...real, ...watched, default: { ...real, ...watched } };
});

let folder = '';
let path = '';
beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'weights.safetensors');
  vi.clearAllMocks();
});

const first: StoredTensor = { dtype: 'uint8', shape: [3], data: new Uint8Array([1, 2, 3]) };
const second: StoredTensor = { dtype: 'uint8', shape: [3], data: new Uint8Array([4, 5, 6]) };

describe('a failure leaves the old file intact and no other file', () => {
  const fullDisk = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  test.each([
    ['while writing', () => vi.mocked(fs.writeSync).mockImplementationOnce(fullDisk)],
    ['while flushing the file to disk', () => vi.mocked(fs.fsyncSync).mockImplementationOnce(fullDisk)],
    ['while renaming', () => vi.mocked(fs.renameSync).mockImplementationOnce(fullDisk)],
  ])('%s', (_, breakSystem) => {
    writeSafetensors(path, [['w', first]]);
    const before = readFileSync(path);
    breakSystem();
    expect(() => writeSafetensors(path, [['w', second]])).toThrow(/ENOSPC/);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['weights.safetensors']);
  });

  test('when the last tensor cannot be fetched', () => {
    writeSafetensors(path, [['w', first]]);
    const before = readFileSync(path);
    const lost: StoredTensor = {
      dtype: 'uint8',
      shape: [3],
      get data(): Uint8Array {
        throw new Error('device lost');
      },
    };
    expect(() =>
      writeSafetensors(path, [
        ['w', second],
        ['z', lost],
      ]),
    ).toThrow('device lost');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['weights.safetensors']);
  });
});

test('the file is flushed before it is renamed, and the folder afterwards', () => {
  writeSafetensors(path, [['w', first]]);
  const order = (call: { mock: { invocationCallOrder: number[] } }) => call.mock.invocationCallOrder;
  const [syncedFile = 0, syncedFolder = 0] = order(vi.mocked(fs.fsyncSync));
  const [renamed = 0] = order(vi.mocked(fs.renameSync));
  expect(syncedFile).toBeLessThan(renamed);
  expect(syncedFolder).toBeGreaterThan(renamed);
});

test('a system that writes a few bytes at a time still gets the whole file', async () => {
  const real = await vi.importActual<typeof import('node:fs')>('node:fs');
  vi.mocked(fs.writeSync).mockImplementation((descriptor: number, bytes: unknown, offset?: unknown) => {
    if (!(bytes instanceof Uint8Array) || typeof offset !== 'number') throw new TypeError('expected bytes');
    return real.writeSync(descriptor, bytes, offset, Math.min(5, bytes.length - offset));
  });
  writeSafetensors(path, [['w', first]]);
  vi.mocked(fs.writeSync).mockImplementation(real.writeSync);
  expect(readSafetensors(path).tensors.get('w')).toEqual(first);
});

test('the data of each tensor is fetched once, in file order', () => {
  const asked: string[] = [];
  const lazy = (name: string): [string, StoredTensor] => [
    name,
    {
      dtype: 'uint8',
      shape: [1],
      get data() {
        asked.push(name);
        return new Uint8Array([7]);
      },
    },
  ];
  writeSafetensors(path, [lazy('b'), lazy('a')]);
  expect(asked).toEqual(['a', 'b']);
});

describe('is refused, naming the file and the tensor', () => {
  const cases: [string, [string, StoredTensor][], RegExp][] = [
    [
      'two tensors of one name',
      [
        ['w', first],
        ['w', second],
      ],
      /"w" is given twice/,
    ],
    ['the name of the metadata', [['__metadata__', first]], /reserves for metadata/],
    ['half a surrogate pair', [['\ud800', first]], /not valid Unicode/],
    ['data of the wrong length', [['w', { ...first, shape: [4] }]], /"w" has 3 bytes of data; .* takes 4/],
    ['a negative size', [['w', { ...first, shape: [-3] }]], /"w" has the impossible shape \[-3\]/],
  ];
  test.each(cases)('%s', (_, tensors, message) => {
    expect(() => writeSafetensors(path, tensors)).toThrow(SafetensorsError);
    expect(() => writeSafetensors(path, tensors)).toThrow(message);
    expect(() => writeSafetensors(path, tensors)).toThrow(path);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('metadata with half a surrogate pair', () => {
    expect(() => writeSafetensors(path, [], { note: '\udfff' })).toThrow(/metadata entry "note"/);
  });
});
