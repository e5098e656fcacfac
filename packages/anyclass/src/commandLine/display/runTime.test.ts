import { expect, test } from 'vitest';
import type { RunEvent } from '../../events/runEvent.js';
import { runTime } from './runTime.js';

function step(epoch: number, secondsLeft: number | null, images = 64): RunEvent {
  return {
    type: 'step',
    epoch,
    epochs: 6,
    step: 1,
    steps: 10,
    images,
    imagesPerEpoch: 640,
    unit: 'images',
    loss: 0.5,
    rate: 0.1,
    imagesPerSecond: 10,
    secondsLeft,
    dataWaitShare: 0,
  };
}

test('the whole run has training, the validations that remain, and judging; the estimate comes once, when the speed has settled', () => {
  let now = 0;
  const time = runTime(() => now);
  expect(time(step(1, null))).toEqual({});
  expect(time(step(1, 600))).toEqual({ left: '10 min 0 s' });
  now = 6000;
  expect(time(step(1, 90_000)).estimate).toBeUndefined();
  expect(time(step(1, 540, 320)).estimate).toBe(
    'About 9 min 0 s for the rest of 6 epochs; validation and judging come on top',
  );
  expect(time(step(1, 530)).estimate).toBeUndefined();
  time({ type: 'progress', task: 'validation', done: 0, total: 100, unit: 'images' });
  now = 26_000;
  time({ type: 'progress', task: 'validation', done: 100, total: 100, unit: 'images' });
  // Five validations of 20 s are left in epoch 2, and judging costs two more.
  expect(time(step(2, 400)).left).toBe('9 min 0 s');
});
