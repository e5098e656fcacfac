import { expect, test } from 'vitest';
import type { RunEvent, StepEvent } from '../events/runEvent.js';
import { speedClock } from './speedClock.js';

const full = { train: 1000, validation: 300, epochs: 10 };

/** A clock of which each event says how long it took. */
function slowClock() {
  let time = 5;
  const clock = speedClock(() => time);
  const add = (seconds: number, event: unknown) => {
    time += seconds;
    clock.add(event as RunEvent);
  };
  const step = (seconds: number, images: number, epoch = 1) =>
    add(seconds, { type: 'step', epoch, images } satisfies Partial<StepEvent>);
  const score = (seconds: number, done: number, task = 'validation') =>
    add(seconds, { type: 'progress', task, done, total: 300, unit: 'images' });
  return { clock, step, score };
}

test('the first second of steps does not count, and the time before them is overhead', () => {
  const { clock, step } = slowClock();
  step(3, 10); // the first step: opening data, loading libtorch
  step(1, 20); // slow: caches are cold
  for (let images = 40; images <= 200; images += 20) step(0.1, images);
  const speed = { imagesPerSecond: expect.closeTo(200, 6), overheadSeconds: 3, scoringCost: 1 / 3 };
  expect(clock.speed(full)).toEqual({ ...speed, full: { ...full, validation: expect.closeTo(300, 6) } });
  step(0.1, 220);
  expect(clock.seen()).toEqual({ running: expect.closeTo(1, 6), scoring: 0, validations: 0 });
});

test('scored images say what a validation costs, though it was not seen to its end', () => {
  const { clock, step, score } = slowClock();
  step(0, 8);
  step(2, 24);
  step(1, 32); // 16 images in 3 s
  score(9, 0, 'preparing photos');
  score(1, 0);
  score(1, 24);
  score(1, 64); // 32 images a second: a quarter of the time of training on one
  const { imagesPerSecond, scoringCost, full: run } = clock.speed(full);
  expect(imagesPerSecond).toBe(8);
  expect(scoringCost).toBe(1 / 4);
  expect(run.validation).toBeCloseTo((300 * 3) / 4, 9);
  expect(clock.seen()).toMatchObject({ scoring: 2, validations: 0 });
});

test('a validation that was seen to its end costs what it took, with metrics and checkpoints', () => {
  const { clock, step, score } = slowClock();
  step(0, 8);
  step(2, 24);
  step(1, 32);
  score(1, 0);
  score(2, 300);
  step(3, 8, 2);
  step(1, 16, 2); // 24 images in 3 s after the first second, 16 of them in the first 2 s
  expect(clock.speed(full).full.validation).toBeCloseTo(6 * 8 * 3, 9);
  expect(clock.seen().validations).toBe(1);
});
