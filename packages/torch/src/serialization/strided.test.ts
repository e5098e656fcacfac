import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gather, isContiguous, neededLength, type StridedView } from './strided.js';

test('gathering reads element (i, j, …) at offset + i·stride₀ + j·stride₁ + …', () => {
  fc.assert(
    fc.property(views(), fc.constantFrom(1, 2, 4, 8), (view, width) => {
      const storage = new Uint8Array(neededLength(view) * width).map((_, i) => (i * 37) % 251);
      const expected = positions(view).flatMap((at) => [...storage.subarray(at * width, (at + 1) * width)]);
      expect([...gather(storage, width, view)]).toEqual(expected);
    }),
  );
});

test('the needed length is one more than the farthest position', () => {
  fc.assert(
    fc.property(views(), (view) => {
      expect(neededLength(view)).toBe(Math.max(0, ...positions(view).map((at) => at + 1)));
    }),
  );
});

test('a view is contiguous exactly when its positions count up by one', () => {
  fc.assert(
    fc.property(views(), (view) => {
      const countsUp = positions(view).every((at, i) => at === view.offset + i);
      // A view without elements has nothing to be out of order, and nothing to move.
      if (!view.shape.includes(0)) expect(isContiguous(view)).toBe(countsUp);
    }),
  );
});

test('the payload of a NaN survives', () => {
  const signaling = new Uint8Array(new Uint32Array([0x7f800001, 0xff812345]).buffer);
  const swapped = gather(signaling, 4, { shape: [2, 1], strides: [1, 9], offset: 0 });
  expect([...new Uint32Array(swapped.buffer)]).toEqual([0x7f800001, 0xff812345]);
});

/** Small sizes and strides, contiguous ones among them. */
function views(): fc.Arbitrary<StridedView> {
  const dimension = fc.record({ size: fc.nat({ max: 4 }), stride: fc.nat({ max: 6 }) });
  const any = fc
    .record({ dimensions: fc.array(dimension, { maxLength: 4 }), offset: fc.nat({ max: 5 }) })
    .map(({ dimensions, offset }) => ({
      shape: dimensions.map(({ size }) => size),
      strides: dimensions.map(({ stride }) => stride),
      offset,
    }));
  const contiguous = any.map(({ shape, offset }) => ({
    shape,
    strides: shape.map((_, d) => shape.slice(d + 1).reduce((product, size) => product * size, 1)),
    offset,
  }));
  return fc.oneof(any, contiguous);
}

function positions({ shape, strides, offset }: StridedView): number[] {
  return shape.reduce(
    (starts, size, d) =>
      starts.flatMap((start) => Array.from({ length: size }, (_, i) => start + i * strides[d]!)),
    [offset],
  );
}
