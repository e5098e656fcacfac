import { expect, test } from 'vitest';
import { NumpyRandom } from '../random/numpyRandom.js';
import { presenceDrift } from './presenceDrift.js';

const draw = (random: NumpyRandom, count: number, power = 1) =>
  Float64Array.from({ length: count }, () => random.random() ** power);

test('scores from one source rarely hint at drift, whatever their distribution and ties', () => {
  let hints = 0;
  for (let seed = 0; seed < 200; seed++) {
    const random = new NumpyRandom(seed);
    const scores = draw(random, 700).map((score) => (seed % 2 === 0 ? score : Math.round(5 * score)));
    if (presenceDrift(scores.slice(0, 200), scores.slice(200), seed).hintedAt !== null) hints++;
  }
  expect(hints / 200).toBeLessThanOrEqual(0.01 + 3 * Math.sqrt((0.01 * 0.99) / 200));
});

test.each([
  ['higher', 0.3],
  ['lower', 3],
])('scores that become %s do', (_, power) => {
  const random = new NumpyRandom(1);
  const scores = Float64Array.from([...draw(random, 500), ...draw(random, 600, power)]);
  const { hintedAt, highest } = presenceDrift(draw(random, 500), scores);
  expect(hintedAt).toBeGreaterThan(500);
  expect(highest).toBeGreaterThan(100);
});

test('scores that are no numbers are refused', () => {
  expect(() => presenceDrift(new Float64Array([1]), new Float64Array([Number.NaN]))).toThrow(
    'score 1 is NaN',
  );
});
