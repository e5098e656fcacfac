import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { compareRuns } from './comparison.js';
import { readRuns } from './readRuns.js';
import type { SweepPoint } from './sweepResult.js';
import { testValues } from './valueDifferences.js';

const folder = testFolder();
const decision = { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 }, beta: 1 } as const;

/** A sweep over λ: the strength of each value, in runs with two seeds. */
async function sweepOf(name: string, strengths: Readonly<Record<number, number>>, rows = 200) {
  for (const [lambda, strength] of Object.entries(strengths)) {
    for (const seed of [1, 2]) {
      writeSyntheticRun(join(folder, name, `${lambda}-${seed}`), {
        configuration: {
          data: { dataset: 'pipes.csv' },
          loss: { name: 'any-bce', lambda: Number(lambda) },
          seed,
        },
        strength,
        rows: lambda === '0.5' ? rows : 200,
      });
    }
  }
  const runs = readRuns([join(folder, name)]);
  const { groups } = await compareRuns(runs, { replicates: 0 });
  const points = groups.map((metrics): SweepPoint => ({ value: metrics.lambda, metrics }));
  return { runs, points };
}

test('values whose differences are small for certain do not matter, and the largest difference is named', async () => {
  const { runs, points } = await sweepOf('same', { 0.1: 2, 0.2: 2, 0.5: 2 });
  const tested = await testValues({ value: 0.2, reason: 'λ = 0.2 is best' }, points, runs, 'λ', {
    replicates: 200,
    decision,
  });
  expect(tested).toMatchObject({ matters: false });
  expect(tested.reason).toMatch(
    /^The choice of λ does not matter here: .* differs from the [\d.]+ at 0\.2; .*widened for 2 comparisons\)$/,
  );
});

test('values whose differences may be large are not called equal, and none is recommended', async () => {
  const { runs, points } = await sweepOf('equal', { 0.1: 2, 0.2: 2.02, 0.5: 2.01 });
  const tested = await testValues({ value: 0.2, reason: 'λ = 0.2 is best' }, points, runs, 'λ', {
    replicates: 200,
    decision,
  });
  expect(tested).toMatchObject({ matters: null });
  expect(tested).not.toHaveProperty('value');
  expect(tested.differences?.map(({ value, f1 }) => [value, f1.holds])).toEqual([
    [0.1, 'unclear'],
    [0.5, 'unclear'],
  ]);
  expect(tested.reason).toMatch(
    /^The runs cannot tell the values of λ apart: .* The noise may hide [\d.]+ points: train more seeds/,
  );
});

test('of runs that find nothing no value is recommended, and the reason is not that they are equal', async () => {
  const { runs, points } = await sweepOf('nothing', { 0.1: -30, 0.2: -30 });
  const tested = await testValues({ value: 0.2, reason: 'λ = 0.2 is best' }, points, runs, 'λ', {
    replicates: 50,
    decision,
  });
  expect(tested).toMatchObject({ matters: null });
  expect(tested).not.toHaveProperty('value');
  expect(tested.reason).toMatch(/^No λ can be recommended: F1 at 5% false alarms is 0 on validation/);
});

test('a value that beats at least one other is recommended, and those it does not beat are named', async () => {
  const { runs, points } = await sweepOf('unequal', { 0.1: 0.2, 0.2: 3, 0.5: 3.01 });
  const tested = await testValues({ value: 0.2, reason: 'λ = 0.2 is best' }, points, runs, 'λ', {
    replicates: 200,
    decision,
  });
  expect(tested).toMatchObject({ value: 0.2, matters: true });
  expect(tested.reason).toBe('λ = 0.2 is best; F1 at 0.5 does not differ from it');
  const lower = tested.differences?.find(({ value }) => value === 0.1)?.f1;
  const f1 = (value: number) =>
    points.find((point) => point.value === value)!.metrics.decided!.validation!.macroF1!.mean;
  expect(lower?.value).toBeCloseTo(f1(0.2) - f1(0.1), 12);
});

test('the more values, the wider the intervals', async () => {
  const { runs, points } = await sweepOf('wide', { 0.1: 1, 0.2: 2, 0.5: 1.5 });
  const lowOf = async (few: readonly SweepPoint[]) => {
    const { differences } = await testValues({ value: 0.2, reason: '' }, few, runs, 'λ', {
      replicates: 400,
      decision,
    });
    return differences!.find(({ value }) => value === 0.1)!.f1.low;
  };
  expect(await lowOf(points)).toBeLessThan(await lowOf(points.filter(({ value }) => value !== 0.5)));
});

test('nothing is tested without replicates, without another value, or without a recommended one', async () => {
  const { runs, points } = await sweepOf('none', { 0.1: 1, 0.2: 2 });
  const given = { value: 0.2, reason: 'best' };
  expect(await testValues(given, points, runs, 'λ', { replicates: 0, decision })).toBe(given);
  expect(await testValues(given, points.slice(1), runs, 'λ', { replicates: 10, decision })).toBe(given);
  const unknown = { reason: 'nothing can be said' };
  expect(await testValues(unknown, points, runs, 'λ', { replicates: 10, decision })).toBe(unknown);
});

test('values that were evaluated on different images are not ranked', async () => {
  const { runs, points } = await sweepOf('other', { 0.1: 1, 0.5: 2 }, 201);
  const tested = await testValues({ value: 0.5, reason: 'best' }, points, runs, 'λ', {
    replicates: 10,
    decision,
  });
  expect(tested).toEqual({
    reason: expect.stringContaining('No λ is recommended: '),
  });
  expect(tested.reason).toContain('were not evaluated on the same validation instances');
});
