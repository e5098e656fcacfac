import { expect, test } from 'vitest';
import { tileStarts } from '../networks/layers/tiles.js';
import { sizeRemarks, tilesAdvice } from './tilesAdvice.js';

test('images that are not much larger than the input, or whose objects are large enough, are not cut', () => {
  expect(tilesAdvice(640, 224, 32)).toBeUndefined();
  expect(tilesAdvice(6000, 224, 32, Float32Array.of(0.1, 0.3, 0.5))).toBeUndefined();
});

test('without boxes, tiles are proposed with their cost, not set', () => {
  const advice = tilesAdvice(6000, 224, 32)!;
  expect(advice.isNeeded).toBe(false);
  expect(advice.tiles).toEqual({ imageSize: 896, overlap: 32, pool: 'noisy-or' });
  expect(advice.reason).toContain(`${tileStarts(224, advice.tiles).length ** 2} tiles of 224 px`);
});

test('small objects get two positions each, up to the size of the images and a bounded cost', () => {
  const sized = (side: number, imageSide = 6000) => tilesAdvice(imageSide, 224, 32, Float32Array.of(side))!;
  expect(sized(0.1).isNeeded).toBe(true);
  expect(sized(0.1).tiles.imageSize * 0.1).toBeGreaterThanOrEqual(60);
  expect(sized(0.001).tiles.imageSize).toBe(1792);
  expect(sized(0.001, 1000).tiles.imageSize).toBe(992);
  expect(sized(0.02, 448)).toMatchObject({ isNeeded: true, tiles: { imageSize: 448 } });
  expect(tilesAdvice(447, 224, 32, Float32Array.of(0.02))).toBeUndefined();
});

test('training says into how many tiles images are cut, and when they are much larger than what the network gets', () => {
  const tiles = { imageSize: 896, overlap: 32, pool: 'noisy-or' } as const;
  expect(sizeRemarks(640, { inputSize: 224 })).toEqual([]);
  expect(sizeRemarks(undefined, { inputSize: 224 })).toEqual([]);
  expect(sizeRemarks(6000, { inputSize: 224 })).toEqual([expect.stringMatching(/27 times.*network\.tiles/)]);
  expect(sizeRemarks(1000, { inputSize: 224, tiles })).toEqual([
    expect.stringContaining('25 tiles of 224 px'),
  ]);
  expect(sizeRemarks(6000, { inputSize: 224, tiles })[1]).toMatch(/7 times.*network\.tiles\.imageSize/);
});
