// Chooses the next trial of a search with the tree-structured Parzen estimator.
// Bergstra, Bardenet, Bengio and Kégl, "Algorithms for Hyper-Parameter Optimization", NeurIPS 2011.
// Every field has its own models, as in the paper and in hyperopt.

import { NumpyRandom } from '@anyclass/core';
import { philox } from '../data/random/philox.js';
import { choiceProbabilities, parzen } from './parzen.js';
import { type Choice, type Interval, isWhole, placesOf, type Space, type Value, valueAt } from './space.js';

export type SearchSpace = Readonly<Record<string, Space>>;
export type Values = Readonly<Record<string, Value>>;

/** A completed trial. Higher scores are better; null if it failed. */
export interface Observation {
  readonly values: Values;
  readonly score: number | null;
}

/**
 * γ, the share of trials that count as good, and their maximum number: too many would flatten their model.
 */
const goodShare = 0.15;
const mostGood = 25;
/** Trials drawn at random before the models are used. */
export const startupTrials = 10;
/** How many values are drawn from the model of good ones; the one most likely to be good is used. */
const candidates = 24;

/** Keeps these draws apart from others with the same seed. */
const purpose = 0x74756e65;

/**
 * Chooses the values of a trial. They depend only on the seed, the trial's number and the completed trials.
 *
 * @example
 * sample({ 'loss.lambda': { kind: 'log', low: 0.005, high: 1 } }, [], { seed: 0, trial: 0 }) // { 'loss.lambda': 0.03… }
 */
export function sample(
  space: SearchSpace,
  observations: readonly Observation[],
  { seed, trial }: { readonly seed: number; readonly trial: number },
): Values {
  const [word = 0] = philox([trial, 0, 0, 0], [seed >>> 0, purpose], new Uint32Array(4));
  const random = new NumpyRandom(word);
  const entries = Object.entries(space);
  if (observations.length < startupTrials)
    return Object.fromEntries(entries.map(([field, known]) => [field, randomValue(known, random)]));
  const ordered = observations.toSorted(
    (a, b) => (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY) || 0,
  );
  const split = Math.min(mostGood, Math.ceil(goodShare * ordered.length));
  return Object.fromEntries(
    entries.map(([field, known]) => {
      const seen = ordered.map(({ values }) => values[field]);
      return [field, likeliestGood(known, seen.slice(0, split), seen.slice(split), random)];
    }),
  );
}

type Seen = readonly (Value | undefined)[];

function randomValue(space: Space, random: NumpyRandom): Value {
  if (space.kind === 'choice') return space.values[random.integer(space.values.length)]!;
  return valueAt(space, random.random());
}

function likeliestGood(space: Space, good: Seen, poor: Seen, random: NumpyRandom): Value {
  return space.kind === 'choice'
    ? bestChoice(space, good, poor, random)
    : bestInside(space, good, poor, random);
}

function bestInside(interval: Interval, good: Seen, poor: Seen, random: NumpyRandom): number {
  const middle = (value: Value | undefined): number[] => {
    if (typeof value !== 'number') return [];
    const [from, to] = placesOf(interval, value);
    return [(from + to) / 2];
  };
  const goodModel = parzen(good.flatMap(middle));
  const poorModel = parzen(poor.flatMap(middle));
  const drawn = Array.from({ length: candidates }, () => goodModel.draw(random));
  const ratio = (place: number) => {
    const [from, to] = isWhole(interval) ? placesOf(interval, valueAt(interval, place)) : [place, place];
    return goodModel.likelihood(from, to) / poorModel.likelihood(from, to);
  };
  return valueAt(interval, likeliest(drawn, ratio));
}

function bestChoice({ values }: Choice, good: Seen, poor: Seen, random: NumpyRandom): Value {
  const probabilities = (seen: Seen) =>
    choiceProbabilities(values.map((value) => seen.filter((other) => other === value).length));
  const [ofGood, ofPoor] = [probabilities(good), probabilities(poor)];
  const drawn = random.choice(values.length, candidates, { probabilities: ofGood });
  return values[likeliest([...drawn], (i) => ofGood[i]! / ofPoor[i]!)]!;
}

function likeliest(drawn: readonly number[], ratio: (candidate: number) => number): number {
  return drawn.reduce(
    (best, candidate) => {
      const likelihood = ratio(candidate);
      return likelihood > best.likelihood ? { candidate, likelihood } : best;
    },
    { candidate: drawn[0]!, likelihood: Number.NEGATIVE_INFINITY },
  ).candidate;
}
