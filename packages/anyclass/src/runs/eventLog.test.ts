import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import type { StepEvent } from '../events/runEvent.js';
import { eventLog, limitedRate, readEvents } from './eventLog.js';

const folder = testFolder();

const step: StepEvent = {
  type: 'step',
  epoch: 1,
  epochs: 2,
  step: 1,
  steps: 10,
  images: 64,
  imagesPerEpoch: 640,
  unit: 'images',
  loss: 0.5,
  rate: 0.1,
  imagesPerSecond: 100,
  secondsLeft: 12,
  dataWaitShare: 0,
};

test('steps are logged once a second, everything else immediately', () => {
  const path = join(folder, 'events.jsonl');
  let now = Date.parse('2026-01-31T12:00:00Z');
  const log = eventLog(path, () => now);
  for (let i = 1; i <= 25; i++) {
    log({ ...step, step: i });
    if (i === 3) log({ type: 'saved', checkpoint: 'epoch-0001.safetensors' });
    now += 100;
  }
  const events = readEvents(path);
  expect(events.map((event) => (event.type === 'step' ? event.step : event.type))).toEqual([
    1,
    'saved',
    11,
    21,
  ]);
  expect(events[0]).toEqual({ time: '2026-01-31T12:00:00.000Z', memory: expect.any(Number), ...step });
});

test('the first and last progress of a short task pass', () => {
  const passes = limitedRate(1000, () => 0);
  const progress = (done: number) =>
    passes({ type: 'progress', task: 'validation', done, total: 40, unit: 'images' });
  expect([0, 10, 20, 30, 40].map(progress)).toEqual([true, true, false, false, true]);
});

test('a truncated log is read up to that point, and one that cannot be written causes no error', () => {
  const path = join(folder, 'cut.jsonl');
  eventLog(path)({ type: 'note', text: 'whole' });
  appendFileSync(path, '{"time":"2026');
  expect(readEvents(path)).toMatchObject([{ type: 'note', text: 'whole' }]);
  expect(() => eventLog(join(folder, 'nowhere', 'x.jsonl'))({ type: 'note', text: 'lost' })).not.toThrow();
  expect(readEvents(join(folder, 'nowhere', 'x.jsonl'))).toEqual([]);
});
