import { expect, test } from 'vitest';
import { rateOf } from './expectedSeconds.js';

/** Seconds of scoring: the first call also prepares the kernels. */
const scoring = (preparation: number, perImage: number) => {
  let isFirst = true;
  return async (images: number) => {
    const seconds = (isFirst ? preparation : 0) + images * perImage;
    isFirst = false;
    return seconds;
  };
};

test('the estimate of a run leaves out the seconds that preparing the kernels takes', async () => {
  const [quick, slow] = [await rateOf(scoring(0, 0.01), 32), await rateOf(scoring(2, 0.01), 32)];
  expect(quick).toBeCloseTo(1 / (3 * 0.01), 9);
  expect(slow).toBeCloseTo(quick, 9);
});

test('an image that takes long is scored twice at most', async () => {
  let calls = 0;
  const seconds = scoring(1, 2);
  const rate = await rateOf((images) => {
    calls++;
    return seconds(images);
  }, 32);
  expect([calls, rate]).toEqual([2, 1 / (3 * 2)]);
});
