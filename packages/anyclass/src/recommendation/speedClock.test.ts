import { expect, test } from 'vitest';
import { speedClock } from './speedClock.js';

const full = { train: 1000, validation: 300, epochs: 10 };

test('the first second of steps does not count, and the time before them is overhead', () => {
  let time = 5;
  const clock = speedClock(() => time);
  const step = (seconds: number, images: number) => {
    time += seconds;
    return clock.add({ epoch: 1, images });
  };
  step(3, 10); // the first step: opening data, loading libtorch
  step(1, 20); // slow: caches are cold
  for (let images = 40; images <= 200; images += 20) step(0.1, images);
  expect(clock.speed(full)).toEqual({ imagesPerSecond: expect.closeTo(200, 6), overheadSeconds: 3, full });
  expect(step(0.1, 220)).toBeCloseTo(1, 6);
});

test('a pause between epochs that is longer than scoring validation counts as a larger validation', () => {
  let time = 0;
  const clock = speedClock(() => time);
  for (const [seconds, epoch, images] of [
    [0, 1, 8],
    [2, 1, 24],
    [1, 1, 32],
    [6, 2, 8],
    [1, 2, 16],
  ] as const) {
    time += seconds;
    clock.add({ epoch, images });
  }
  // Steps after the first second: 16 images in 2 s.
  expect(clock.speed(full)).toEqual({ imagesPerSecond: 8, overheadSeconds: 0, full });
  expect(clock.speed({ ...full, validation: 30 }).full.validation).toBe(6 * 8 * 3);
});
