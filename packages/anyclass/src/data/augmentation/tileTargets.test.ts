import { tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { augmentImages } from './augmentImages.js';
import { encodeChanges } from './changes.js';
import { drawChanges } from './parameters.js';
import { type TiledObject, type TileLabels, tileTargets } from './tileTargets.js';

const imageSize = { width: 8, height: 8 };

function labels(objects: readonly TiledObject[], changes: Partial<TileLabels> = {}): TileLabels {
  return { starts: [0, 4], size: 4, objectsOf: () => objects, ...changes };
}

/** An object of 2 by 2 pixels unless given otherwise. */
function object(left: number, top: number, width = 2, height = 2, classIndex = 0): TiledObject {
  return { classIndex, left: left / 8, top: top / 8, width: width / 8, height: height / 8 };
}

function found(objects: readonly TiledObject[], targets = [1], classes = 1): number[] {
  const given = { indices: [0], targets: Float32Array.from(targets), classes, imageSize };
  return [...tileTargets(labels(objects), given)];
}

test('a tile has a class where it shows an object, or much of one, and not elsewhere', () => {
  expect(found([object(1, 1)])).toEqual([1, 0, 0, 0]);
  expect(found([object(5, 1)])).toEqual([0, 1, 0, 0]);
  expect(found([object(3, 5)])).toEqual([0, 0, 1, 1]); // half in each
  expect(found([object(1, 1), object(6, 6)])).toEqual([1, 0, 0, 1]);
  expect(found([object(0, 0, 8, 8)])).toEqual([1, 1, 1, 1]); // a quarter of it covers each
});

test('a box that only grazes a tile leaves it unknown, unless another object is there', () => {
  expect(found([object(2, 1, 2.2, 2)])).toEqual([1, Number.NaN, 0, 0]);
  expect(found([object(2, 1, 2.2, 2), object(5, 1)])).toEqual([1, 1, 0, 0]);
  expect(found([object(5, 1), object(2, 1, 2.2, 2)])).toEqual([1, 1, 0, 0]);
});

test('labels of the image come first: unknown stays unknown, absent absent, and present without a box is unknown', () => {
  expect(found([object(1, 1)], [Number.NaN])).toEqual(Array(4).fill(Number.NaN));
  expect(found([object(1, 1)], [0])).toEqual([0, 0, 0, 0]);
  expect(found([], [1])).toEqual(Array(4).fill(Number.NaN));
  expect(found([object(1, 1, 2, 2, 1)], [0, 1], 2)).toEqual([0, 1, 0, 0, 0, 0, 0, 0]);
  expect(found([object(1, 1)], [0.75])).toEqual([0.75, 0, 0, 0]);
});

test('flipped and cropped images are labeled as a painted box shows: by the pixels in each tile', () => {
  const side = 64;
  const size = { width: side, height: side };
  const place = fc.record({
    left: fc.integer({ min: 0, max: 50 }),
    top: fc.integer({ min: 0, max: 50 }),
    width: fc.integer({ min: 6, max: 14 }),
    height: fc.integer({ min: 6, max: 14 }),
  });
  const augmentation = {
    flip: 0.5,
    verticalFlip: 0.5,
    resizedCrop: { scale: [0.4, 1], ratio: [0.8, 1.25] },
    interpolation: 'nearest',
  } as const;
  fc.assert(
    fc.property(place, fc.nat(1000), (box, index) => {
      const bytes = new Uint8Array(side * side);
      for (let y = box.top; y < box.top + box.height; y++)
        bytes.fill(255, y * side + box.left, y * side + box.left + box.width);
      const changes = drawChanges(augmentation, [index], { seed: 1, epoch: 0, size });
      const image = tensor(bytes, { shape: [1, side, side, 1] });
      const moved = augmentImages(image, changes, { mean: [0], std: [1] }).at(0, 0);
      const share = (value: number) => value / side;
      const { left, top, width, height } = box;
      const one = {
        classIndex: 0,
        left: share(left),
        top: share(top),
        width: share(width),
        height: share(height),
      };
      const ofTiles = tileTargets(
        { starts: [0, 24, 48], size: 16, objectsOf: () => [one] },
        { indices: [index], targets: Float32Array.of(1), classes: 1, changes, imageSize: size },
      );
      [0, 24, 48].forEach((y, i) => {
        [0, 24, 48].forEach((x, j) => {
          const pixels = moved.narrow(0, y, 16).narrow(1, x, 16).sum().toNumber();
          const target = ofTiles[3 * i + j]!;
          // A row or column of pixels on the edge is a matter of rounding.
          if (target === 0) expect(pixels).toBeLessThanOrEqual(32);
          if (target === 1) expect(pixels).toBeGreaterThan(0);
          if (pixels > 0.5 * 256) expect(target).toBe(1);
        });
      });
    }),
    { numRuns: 60 },
  );
});

test('a quarter turn moves a box to the next corner', () => {
  const part = { top: 0, left: 0, ...imageSize };
  // The result's (x, y) shows the image's (7 - y, x): what is at the left goes to the bottom.
  const changes = encodeChanges([{ map: [0, -1, 7, 1, 0, 0], part, interpolation: 'nearest', colors: [] }]);
  const turned = tileTargets(labels([object(1, 1)]), {
    indices: [0],
    targets: Float32Array.of(1),
    classes: 1,
    changes,
    imageSize,
  });
  expect([...turned]).toEqual([0, 0, 1, 0]);
});

test('a long box on the diagonal after rotation is in the tiles that it crosses, not in all around it', () => {
  const size = { width: 64, height: 64 };
  const turned = Math.SQRT1_2;
  const middle = 31.5 - 2 * turned * 31.5;
  // By 45 degrees around the center.
  const map = [turned, turned, middle, -turned, turned, 31.5] as const;
  const changes = encodeChanges([
    { map, part: { top: 0, left: 0, ...size }, interpolation: 'bilinear', colors: [] },
  ]);
  const bytes = new Uint8Array(64 * 64);
  bytes.fill(255, 31 * 64 + 4, 31 * 64 + 60);
  bytes.fill(255, 32 * 64 + 4, 32 * 64 + 60);
  const image = tensor(bytes, { shape: [1, 64, 64, 1] });
  const moved = augmentImages(image, changes, { mean: [0], std: [1] }).at(0, 0);
  const line = { classIndex: 0, left: 4 / 64, top: 31 / 64, width: 56 / 64, height: 2 / 64 };
  const starts = [0, 16, 32, 48];
  const targets = tileTargets(
    { starts, size: 16, objectsOf: () => [line] },
    { indices: [0], targets: Float32Array.of(1), classes: 1, changes, imageSize: size },
  );
  const shown = starts.flatMap((y) =>
    starts.map((x) => moved.narrow(0, y, 16).narrow(1, x, 16).sum().toNumber()),
  );
  targets.forEach((target, tile) => {
    if (target === 1) expect(shown[tile]).toBeGreaterThan(5);
    if (shown[tile] === 0) expect(target).toBe(0);
  });
  expect(targets.filter((target) => target === 0).length).toBeGreaterThanOrEqual(6);
});
