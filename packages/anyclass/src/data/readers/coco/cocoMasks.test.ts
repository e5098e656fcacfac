import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxAround } from './cocoMasks.js';
import { boxIn } from './cocoObjects.js';

/** Run lengths of a rectangle, column after column. */
function runsOf(left: number, top: number, width: number, height: number, imageHeight: number): number[] {
  const gap = imageHeight - height;
  const columns = Array.from({ length: width }, (_, i) => (i === 0 ? [] : [gap])).flatMap((before) => [
    ...before,
    height,
  ]);
  return [left * imageHeight + top, ...columns];
}

/** pycocotools' rleToString. */
function packed(runs: readonly number[]): string {
  const codes: number[] = [];
  runs.forEach((run, i) => {
    let rest = i > 2 ? run - runs[i - 2]! : run;
    for (let more = true; more; ) {
      const low = rest & 0x1f;
      rest >>= 5;
      more = low & 0x10 ? rest !== -1 : rest !== 0;
      codes.push((more ? low | 0x20 : low) + 48);
    }
  });
  return String.fromCharCode(...codes);
}

test('the box around a rectangle is the rectangle: polygon, run lengths, and packed ones', () => {
  const side = fc.integer({ min: 1, max: 90 });
  fc.assert(
    fc.property(side, side, fc.nat(200), fc.nat(9), (width, height, left, top) => {
      const box = [left, top, width, height];
      const [right, bottom] = [left + width, top + height];
      expect(boxAround([[left, top, right, top, right, bottom, left, bottom]])).toEqual(box);
      const runs = runsOf(left, top, width, height, 100);
      expect(boxAround({ size: [100, 400], counts: runs })).toEqual(box);
      expect(boxAround({ size: [100, 400], counts: packed(runs) })).toEqual(box);
    }),
  );
});

test('several polygons have one box; what is no mask has none', () => {
  expect(
    boxAround([
      [5, 5, 9, 5, 9, 8],
      [1, 6, 2, 7, 1, 20],
    ]),
  ).toEqual([1, 5, 8, 15]);
  for (const none of [
    undefined,
    null,
    [],
    [3],
    'x',
    {},
    { size: [0, 4], counts: [1, 2] },
    { size: [4, 4], counts: [16] },
  ])
    expect(boxAround(none)).toBeUndefined();
});

test('an annotation without a box has that of its mask', () => {
  const segmentation = [[10, 20, 30, 20, 30, 60]];
  expect(boxIn({ segmentation })).toEqual([10, 20, 20, 40]);
  expect(boxIn({ segmentation, bbox: [] })).toEqual([10, 20, 20, 40]);
  expect(boxIn({ segmentation, bbox: [1, 2, 3, 4] })).toEqual([1, 2, 3, 4]);
  expect(boxIn({})).toEqual(Array(4).fill(Number.NaN));
});
