import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cosineWarmRestarts, linearWarmUp, multiStep, type Schedule, Scheduler, sequence } from './index.js';

const pytorch: Record<string, number[]> = JSON.parse(
  readFileSync(new URL('../../test/fixtures/optim/schedules.json', import.meta.url), 'utf8'),
);

const warmUp = linearWarmUp({ epochs: 5, startFactor: 0.01 });
const cosine = cosineWarmRestarts({ T0: 10, Tmult: 2, floor: 1e-5 });
const recipe = sequence([warmUp, cosine], [5]);

const schedules: [string, number, Schedule][] = [
  ['multiStep', 0.1, multiStep({ milestones: [20, 30], gamma: 0.01 })],
  ['linearWarmUp', 1e-3, warmUp],
  ['cosineWarmRestarts', 1e-3, cosine],
  ['cosineEqualCycles', 0.5, cosineWarmRestarts({ T0: 7 })],
  ['warmUpThenCosine', 1e-3, recipe],
];

test.each(schedules)("%s gives PyTorch's rates for 100 epochs", (name, base, schedule) => {
  pytorch[name]!.forEach((rate, epoch) => {
    expect(Math.abs(schedule(epoch, base) - rate)).toBeLessThan(1e-13 * base);
  });
});

test('the recipe warms up over 5 epochs from a hundredth of the rate and restarts at epochs 15, 35 and 75', () => {
  const rates = Array.from({ length: 90 }, (_, epoch) => recipe(epoch, 1e-3));
  expect(rates[0]).toBeCloseTo(1e-5, 18);
  const rises = rates.flatMap((rate, epoch) => (epoch > 5 && rate > rates[epoch - 1]! ? [epoch] : []));
  expect(rises).toEqual([15, 35, 75]);
  for (const restart of [5, 15, 35, 75]) expect(rates[restart]).toBe(1e-3);
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(1e-5);
});

test('a scheduler resumed at any epoch sets the same rates as an uninterrupted one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }), (before, after) => {
      const [through, stopped, resumed] = [groups(), groups(), groups()];
      const uninterrupted = new Scheduler(through, recipe);
      for (let i = 0; i < before + after; i++) uninterrupted.step();
      const first = new Scheduler(stopped, recipe);
      for (let i = 0; i < before; i++) first.step();
      const second = new Scheduler(resumed, recipe);
      second.loadStateDict(JSON.parse(JSON.stringify(first.stateDict())));
      expect(resumed).toEqual(stopped);
      for (let i = 0; i < after; i++) second.step();
      expect(resumed).toEqual(through);
      expect(second.epoch).toBe(before + after);
    }),
  );
});

test('each group keeps its own base rate', () => {
  const optimizer = groups();
  const scheduler = new Scheduler(optimizer, multiStep({ milestones: [1], gamma: 0.5 }));
  scheduler.step();
  expect(optimizer.groups.map(({ lr }) => lr)).toEqual([0.05, 0.005]);
});

test('wrong settings are refused by name', () => {
  expect(() => multiStep({ milestones: [30, 20], gamma: 0.1 })).toThrow('milestones must increase');
  expect(() => multiStep({ milestones: [1], gamma: -1 })).toThrow('gamma');
  expect(() => linearWarmUp({ epochs: 0, startFactor: 0.1 })).toThrow('epochs must be a positive integer');
  expect(() => linearWarmUp({ epochs: 5, startFactor: 2 })).toThrow('startFactor');
  expect(() => cosineWarmRestarts({ T0: 2.5 })).toThrow('T0');
  expect(() => cosineWarmRestarts({ T0: 10, floor: -1 })).toThrow('floor');
  expect(() => sequence([warmUp, cosine], [])).toThrow('2 schedules need 1 milestones, not 0');
  const scheduler = new Scheduler(groups(), cosine);
  expect(() => scheduler.loadStateDict({ epoch: -1, baseRates: [1, 1] })).toThrow('epoch');
  expect(() => scheduler.loadStateDict({ epoch: 1, baseRates: [1] })).toThrow('1 saved rates for 2');
});

function groups() {
  return { groups: [{ lr: 0.1 }, { lr: 0.01 }] };
}
