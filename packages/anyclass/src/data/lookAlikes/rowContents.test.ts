import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { nameTableBuilder } from '../dataset/nameTable.js';
import { fileImages } from '../images/storage/fileImages.js';
import { rowContents } from './rowContents.js';

const folder = testFolder();

function nameTable(names: readonly string[]) {
  const table = nameTableBuilder();
  for (const name of names) table.add(name);
  return table.finish();
}

/** An image source of files, or of the same bytes in memory. */
function sources(files: Readonly<Record<string, Uint8Array>>) {
  const names = nameTable(Object.keys(files));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const inFiles = fileImages(names, () => folder);
  const { path: _, ...inMemory } = {
    ...inFiles,
    read: async (row: number) => ({ kind: 'encoded', bytes: files[names.at(row)]! }) as const,
  };
  return { names, inFiles, inMemory };
}

test('a row is recognized by its bytes, whatever its name, in files as in memory', async () => {
  mkdirSync(folder, { recursive: true });
  const large = (middle: number) => new Uint8Array(100_000).fill(7).fill(middle, 50_000, 50_010);
  const { names, inFiles, inMemory } = sources({
    'a.png': large(1),
    'renamed.png': large(1),
    'b.png': large(2),
    'longer.png': Uint8Array.from([...large(1), 7]),
    'small.png': Uint8Array.of(1, 2, 3),
    'empty.png': new Uint8Array(),
  });
  const rows = Int32Array.from({ length: names.length }, (_, row) => row);
  const hashes = await rowContents({ names, images: inFiles }, rows);
  expect(await rowContents({ names, images: inMemory }, rows)).toEqual(hashes);
  expect(hashes[1]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(5);
});

test('an image that cannot be read has no contents', async () => {
  const images = fileImages(nameTable(['missing.png']), () => folder);
  const names = nameTable(['missing.png']);
  expect(await rowContents({ names, images }, Int32Array.of(0))).toEqual(['']);
});

test('a row of features without a name is recognized in a renamed table, one with another name or values is not', async () => {
  const images = fileImages(nameTable([]), () => folder);
  const hashOf = async (name: string, value: number) => {
    const features = {
      names: ['width'],
      isNumbered: false,
      read: async (_: Int32Array, out: Float32Array) => {
        out[0] = value;
      },
      close: async () => {},
    };
    const [hash] = await rowContents({ names: nameTable([name]), images, features }, Int32Array.of(0));
    return hash;
  };
  const known = await hashOf('pipes.csv#12', 1.5);
  expect(await hashOf('copy of pipes.csv#12', 1.5)).toBe(known);
  expect(await hashOf('pipes.csv#13', 1.5)).not.toBe(known);
  expect(await hashOf('pipes.csv#12', 2.5)).not.toBe(known);
  expect(await hashOf('a', 1.5)).not.toBe(await hashOf('b', 1.5));
});
