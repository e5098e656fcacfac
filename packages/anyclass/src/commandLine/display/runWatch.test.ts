import { measure } from '@anyclass/core';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../events/runEvent.js';
import type { LoggedEvent } from '../../runs/eventLog.js';
import { curveLine, watchedRun } from './runWatch.js';

const validation = measure({ scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'] });

function at(second: number, event: RunEvent): LoggedEvent {
  return { ...event, time: new Date(1000 * second).toISOString() };
}

const started = at(0, {
  type: 'started',
  run: 'runs/a',
  dataset: 'pipes',
  network: 'tresnet-m',
  loss: 'bce',
  device: 'cpu',
  precision: 'float32',
  epochs: 4,
});

function step(second: number, epoch: number, secondsLeft: number | null): LoggedEvent {
  const counts = { epoch, epochs: 4, step: 5, steps: 10, images: 1500, imagesPerEpoch: 3000 };
  return at(second, {
    type: 'step',
    ...counts,
    unit: 'images',
    loss: 0.5,
    rate: 0.1,
    imagesPerSecond: 100,
    secondsLeft,
    dataWaitShare: 0,
  });
}

function validated(second: number, epoch: number): LoggedEvent {
  const numbers = { rate: 0.1, trainingLoss: 1 / epoch, validationLoss: 1, validationBce: 1 };
  const speed = { seconds: 30, imagesPerSecond: 100, dataWaitShare: 0, quarantined: 0 };
  return at(second, { type: 'validated', epochs: 4, record: { epoch, ...numbers, ...speed, validation } });
}

function validating(second: number): LoggedEvent {
  return at(second, { type: 'progress', task: 'validation', done: 0, total: 500, unit: 'images' });
}

test('the time left counts training, the validations that remain, and judging', () => {
  const events = [started, step(15, 1, 90), validating(30), validated(40, 1), step(55, 2, 75)];
  // Epochs 2, 3 and 4 are still to be validated, and judging costs two validations of 10 seconds.
  expect(watchedRun(events, true)).toMatchObject({ state: 'running', secondsLeft: 75 + 5 * 10 });
  expect(watchedRun(events, true).lines.join('\n')).toContain(
    'epoch 2 of 4, 1,500 of 3,000 images, loss 0.5000',
  );
});

test('before the first step a run is starting, and its end is told with the reason', () => {
  expect(watchedRun([started], true).state).toBe('starting');
  expect(watchedRun([], true).lines[0]).toBe('no start is logged yet');
  const failed = at(9, { type: 'failed', run: 'runs/a', message: 'disk full' });
  expect(watchedRun([started, step(1, 1, 9), failed], false)).toMatchObject({
    state: 'failed',
    message: 'disk full',
  });
});

test('a run at work whose process is gone is lost, and no time is left for it', () => {
  const lost = watchedRun([started, step(1, 1, 9)], false);
  expect(lost).toMatchObject({ state: 'lost', secondsLeft: null });
  expect(lost.lines[1]).toBe('lost');
});

test('a resumed run is running again, and keeps the curves of before', () => {
  const stopped = at(50, { type: 'interrupted', run: 'runs/a', checkpoint: undefined });
  const events = [started, step(15, 1, 90), validated(40, 1), stopped, started, step(99, 2, 60)];
  const { state, lines } = watchedRun(events, true);
  expect(state).toBe('running');
  expect(lines.at(-3)).toBe('loss  ▁ 1.0000');
});

test('a curve spans its own range and leaves gaps where nothing is known', () => {
  expect(curveLine('mAP', [10, 20, null, 30], 1)).toBe('mAP   ▁▅ █ 30.0');
  expect(curveLine('mAP', [null], 1)).toBe('mAP   –');
});
