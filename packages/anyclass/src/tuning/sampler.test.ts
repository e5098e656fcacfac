import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSpace } from '../commandLine/grammar/spaces.js';
import { parzen } from './parzen.js';
import { type Observation, type SearchSpace, sample, startupTrials, type Values } from './sampler.js';
import { type Interval, placesOf, type Space, spaceText, valueAt } from './space.js';

const interval = fc
  .record({
    kind: fc.constantFrom('uniform' as const, 'log' as const, 'int' as const, 'logint' as const),
    low: fc.double({ min: 1e-6, max: 1e3, noNaN: true }),
    width: fc.double({ min: 1e-3, max: 1e4, noNaN: true }),
  })
  .map(({ kind, low, width }): Interval => {
    if (kind === 'uniform' || kind === 'log') return { kind, low, high: low + width };
    return { kind, low: Math.ceil(low), high: Math.ceil(low) + Math.ceil(width) };
  });

const choice = fc
  .uniqueArray(fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[a-z]{3,9}$/)), {
    minLength: 1,
    maxLength: 6,
  })
  .filter((values) => !values.some((value) => value === 'null' || value === 'true' || value === 'false'))
  .map((values): Space => ({ kind: 'choice', values }));

function isInside(space: Space, value: unknown): boolean {
  if (space.kind === 'choice') return space.values.some((known) => known === value);
  if (typeof value !== 'number' || value < space.low || value > space.high) return false;
  return !space.kind.endsWith('int') || Number.isInteger(value);
}

describe('a space', () => {
  test('yields only values inside its bounds, and only integers if it is a space of integers', () => {
    fc.assert(
      fc.property(interval, fc.double({ min: 0, max: 1, noNaN: true }), (space, place) =>
        isInside(space, valueAt(space, place)),
      ),
    );
  });

  test('recovers the position of each of its values', () => {
    fc.assert(
      fc.property(interval, fc.double({ min: 0, max: 1, noNaN: true }), (space, place) => {
        const value = valueAt(space, place);
        const [from, to] = placesOf(space, value);
        expect(valueAt(space, Math.min(1, Math.max(0, (from + to) / 2)))).toBeCloseTo(value, 9);
      }),
    );
  });

  test('can be parsed from its own text', () => {
    fc.assert(
      fc.property(fc.oneof(interval, choice), (space) => {
        expect(parseSpace(spaceText(space))).toEqual(space);
      }),
    );
  });

  test('makes the first and the last integer as likely as the others', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 400; i++) counts[valueAt({ kind: 'int', low: 0, high: 3 }, (i + 0.5) / 400)]!++;
    expect(counts).toEqual([100, 100, 100, 100]);
  });

  test.each([
    ['log(0,1)', 'above 0'],
    ['uniform(1,0)', 'the lower one first'],
    ['uniform(1)', 'two numbers'],
    ['int(1,2.5)', 'integers'],
    ['choice(1,1)', 'distinct values'],
    ['choice()', 'distinct values'],
    ['gauss(0,1)', 'is not a search space'],
    ['0.5', 'is not a search space'],
  ])('%s is refused: %s', (text, message) => {
    expect(() => parseSpace(text)).toThrow(message);
  });
});

test('a Parzen density integrates to one, both by interval and point by point', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (observations) => {
      const density = parzen(observations);
      expect(density.likelihood(0, 1)).toBeCloseTo(1, 5);
      const steps = 4000;
      let sum = 0;
      for (let i = 0; i < steps; i++) sum += density.likelihood((i + 0.5) / steps, (i + 0.5) / steps) / steps;
      expect(sum).toBeCloseTo(1, 3);
    }),
    { numRuns: 25 },
  );
});

describe('the sampler', () => {
  test('stays inside the space, whatever was observed', () => {
    const spaceWithObservations = fc.record({
      space: fc.oneof(interval, choice),
      scores: fc.array(fc.option(fc.double({ noNaN: true })), { maxLength: 40 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(spaceWithObservations, ({ space, scores, seed }) => {
        const observations: Observation[] = [];
        for (const [trial, score] of scores.entries()) {
          const values = sample({ field: space }, observations, { seed, trial });
          expect(isInside(space, values['field'])).toBe(true);
          observations.push({ values, score });
        }
      }),
    );
  });

  test('returns the same values for the same seed, number and observations, and others for another number', () => {
    const space: SearchSpace = { a: parseSpace('log(1e-5,1)'), b: parseSpace('choice(1,2,3)') };
    const observations = Array.from({ length: 20 }, (_, trial) => ({
      values: sample(space, [], { seed: 3, trial }),
      score: trial % 7,
    }));
    const again = () => sample(space, observations, { seed: 3, trial: 20 });
    expect(again()).toEqual(again());
    expect(sample(space, observations, { seed: 3, trial: 21 })).not.toEqual(again());
  });

  test('prefers the choice that failed trials did not have', () => {
    const space: SearchSpace = { kind: parseSpace('choice(fails,works)') };
    const observations = Array.from({ length: 20 }, (_, i) => ({
      values: { kind: i % 2 ? 'works' : 'fails' },
      score: i % 2 ? 0.1 : null,
    }));
    const drawn = Array.from({ length: 20 }, (_, i) =>
      sample(space, observations, { seed: 1, trial: 20 + i }),
    );
    expect(drawn.every(({ kind }) => kind === 'works')).toBe(true);
  });

  test.each([
    ['Branin', 60, branin()],
    ['the six-dimensional Hartmann', 100, hartmann()],
  ])(
    'finds better values of %s than random search in %i trials, over 20 seeds',
    (_, trials, { space, loss }) => {
      const seeds = Array.from({ length: 20 }, (_, seed) => seed);
      const best = (seed: number, modeled: boolean) => {
        const observations: Observation[] = [];
        for (let trial = 0; trial < trials; trial++) {
          const values = sample(space, modeled ? observations : [], { seed, trial });
          observations.push({ values, score: -loss(values) });
        }
        return Math.min(...observations.map(({ score }) => -(score ?? 0)));
      };
      const modeled = seeds.map((seed) => best(seed, true));
      const random = seeds.map((seed) => best(seed, false));
      expect(trials).toBeGreaterThan(startupTrials);
      expect(median(modeled)).toBeLessThan(median(random));
      expect(mean(modeled)).toBeLessThan(mean(random));
    },
  );
});

interface TestFunction {
  readonly space: SearchSpace;
  readonly loss: (values: Values) => number;
}

/** Its three minima are 0.397887. */
function branin(): TestFunction {
  return {
    space: { x: parseSpace('uniform(-5,10)'), y: parseSpace('uniform(0,15)') },
    loss: (values) => {
      const [x, y] = [Number(values['x']), Number(values['y'])];
      const valley = y - (5.1 / (4 * Math.PI ** 2)) * x ** 2 + (5 / Math.PI) * x - 6;
      return valley ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
    },
  };
}

/** Its minimum is -3.32237. Dixon and Szegö, "Towards Global Optimization 2" (1978). */
function hartmann(): TestFunction {
  const alpha = [1, 1.2, 3, 3.2];
  const a = [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
  ];
  const p = [
    [1312, 1696, 5569, 124, 8283, 5886],
    [2329, 4135, 8307, 3736, 1004, 9991],
    [2348, 1451, 3522, 2883, 3047, 6650],
    [4047, 8828, 8732, 5743, 1091, 381],
  ];
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  return {
    space: Object.fromEntries(names.map((name) => [name, parseSpace('uniform(0,1)')])),
    loss: (values) =>
      -alpha.reduce((sum, weight, i) => {
        const distance = names.reduce(
          (total, name, j) => total + a[i]![j]! * (Number(values[name]) - 1e-4 * p[i]![j]!) ** 2,
          0,
        );
        return sum + weight * Math.exp(-distance);
      }, 0),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
