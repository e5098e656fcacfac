import { expect, test } from 'vitest';
import type { PixelSource } from './pixelSource.js';
import { rememberedPixels } from './rememberedPixels.js';

const format = { width: 2, height: 1, channels: 1 } as const;

/** Images of two pixels with the row's number; row 3 is damaged. Counts how often each is decoded. */
function countedSource(): { readonly source: PixelSource; readonly decoded: number[] } {
  const decoded: number[] = [];
  const source: PixelSource = {
    format,
    async readInto(row, out, offset) {
      decoded.push(row);
      if (row === 3) throw new Error('damaged');
      out.fill(row, offset, offset + 2);
    },
    close: async () => {},
  };
  return { source, decoded };
}

test('an image is decoded once', async () => {
  const { source, decoded } = countedSource();
  const pixels = rememberedPixels(source);
  const out = new Uint8Array(6);
  for (let i = 0; i < 3; i++) await pixels.readInto(7, out, 2);
  expect([...out]).toEqual([0, 0, 7, 7, 0, 0]);
  expect(decoded).toEqual([7]);
});

test('several images are read in one operation once all are known', async () => {
  const { source, decoded } = countedSource();
  const pixels = rememberedPixels(source, { slab: 4 });
  const out = new Uint8Array(6);
  expect(await pixels.readAll!(Int32Array.of(5, 1, 2), out)).toBe(false);
  for (const row of [1, 2, 5]) await pixels.readInto(row, out, 0);
  expect(await pixels.readAll!(Int32Array.of(5, 1, 2), out)).toBe(true);
  expect([...out]).toEqual([5, 5, 1, 1, 2, 2]);
  expect(decoded).toEqual([1, 2, 5]);
});

test('images that do not fit are decoded again', async () => {
  const { source, decoded } = countedSource();
  const pixels = rememberedPixels(source, { slab: 4, hasRoom: (bytes) => bytes <= 4 && decoded.length < 3 });
  const out = new Uint8Array(2);
  for (let epoch = 0; epoch < 2; epoch++) for (const row of [0, 1, 2]) await pixels.readInto(row, out, 0);
  expect(decoded).toEqual([0, 1, 2, 2]);
  expect([...out]).toEqual([2, 2]);
});

test('a damaged image is tried each time, and gives its reason', async () => {
  const { source, decoded } = countedSource();
  const pixels = rememberedPixels(source);
  for (let i = 0; i < 2; i++)
    await expect(pixels.readInto(3, new Uint8Array(2), 0)).rejects.toThrow('damaged');
  expect(decoded).toEqual([3, 3]);
});
