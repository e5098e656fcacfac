import { expect, test } from 'vitest';
import { featureMatrixBuilder } from './featureMatrix.js';

// Two rows to a part of the memory, as many as a part holds, and one that many rows share.
test.each([
  [2 ** 19, 5],
  [2 ** 20 + 1, 3],
  [3, 1000],
])('rows of %d features are read back, whichever part of the memory holds them', async (width, count) => {
  const builder = featureMatrixBuilder(width);
  for (let row = 0; row < count; row++) builder.add(new Float32Array(width).fill(row));
  const source = builder.finish();
  const out = new Float32Array(3 * width);
  await source.read(Int32Array.of(count - 1, 0, 1), out);
  const firstAndLast = [0, 1, 2].flatMap((k) => [out[k * width], out[(k + 1) * width - 1]]);
  expect(firstAndLast).toEqual([count - 1, count - 1, 0, 0, 1, 1]);
  await expect(source.read(Int32Array.of(count), out)).rejects.toThrow(`row ${count} of ${count}`);
});
