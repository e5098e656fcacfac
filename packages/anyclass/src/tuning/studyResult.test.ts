import { describe, expect, test } from 'vitest';
import { parseSearch } from '../commandLine/grammar/spaces.js';
import { validateConfiguration } from '../configuration/validate.js';
import { afterEvent, emptyState, type StudyEvent, type Trial } from './events.js';
import { defaultMinEpochs } from './halving.js';
import { fieldImportance } from './importance.js';
import { metricText } from './score.js';
import { checkSearch, defaultSearch, searchSpace } from './searchSpace.js';
import { spaceText } from './space.js';
import type { StudySettings } from './study.js';
import { studyResult, studyText } from './studyResult.js';
import { trialConfiguration } from './trainTrial.js';

const configuration = validateConfiguration({ data: { dataset: 'digits' }, optimizer: { rate: 0.002 } });
const settings: StudySettings = {
  configuration,
  search: {
    'loss.lambda': { kind: 'log', low: 0.005, high: 1 },
    batchSize: { kind: 'choice', values: [32, 64] },
  },
  metric: 'mAP',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

const worker = { id: 'a', host: 'here', pid: 1, started: '' };
function ended(
  trial: number,
  values: Trial['values'],
  history: readonly number[],
  outcome: 'finished' | 'stopped' | 'failed',
): StudyEvent[] {
  return [
    { event: 'start', trial, attempt: 1, worker, folder: `trials/${trial}`, values },
    ...history.map((value, i): StudyEvent => ({ event: 'epoch', trial, attempt: 1, epoch: i + 1, value })),
    { event: 'end', trial, attempt: 1, outcome, seconds: 1, ...(outcome === 'failed' && { reason: 'NaN' }) },
  ];
}

describe('what a study found', () => {
  const state = [
    { event: 'goal', trials: 6 } satisfies StudyEvent,
    ...ended(0, { 'loss.lambda': 0.5, batchSize: 64 }, [0.3, 0.2], 'stopped'),
    ...ended(1, { 'loss.lambda': 0.1, batchSize: 32 }, [0.5, 0.8, 0.7], 'finished'),
    ...ended(2, { 'loss.lambda': 0.7, batchSize: 64 }, [], 'failed'),
    ...ended(3, { 'loss.lambda': 0.2, batchSize: 64 }, [0.4], 'stopped'),
  ].reduce(afterEvent, emptyState);
  const result = studyResult('studies/x', settings, state);

  test('lists its trials by their best epoch, and those that failed last', () => {
    expect(result.trials.map(({ trial, value }) => [trial, value])).toEqual([
      [1, 0.8],
      [3, 0.4],
      [0, 0.3],
      [2, null],
    ]);
    expect(result.best).toMatchObject({ trial: 1, epochs: 3, run: 'studies/x/trials/1' });
  });

  test('reads as a table that ends with the best run', () => {
    const text = studyText(result);
    expect(text).toContain('4 of 6 trials: 1 finished, 2 stopped, 1 failed');
    expect(text).toMatch(/1 +80\.00 +finished +3 +0\.1 +32\n/);
    expect(text).toContain('trial 2 failed: NaN');
    expect(text).toMatch(/best run +studies\/x\/trials\/1$/);
  });

  test('shows shares in percent and losses as they are', () => {
    expect(metricText('macroF1', 0.34212)).toBe('34.21');
    expect(metricText('bce', 0.34212)).toBe('0.3421');
    expect(metricText('mAP', null)).toBe('–');
  });

  test('gives the configuration with the values of a trial, with the best epoch chosen by the metric', () => {
    const best = trialConfiguration(
      { ...settings, metric: 'macroF2' },
      { 'loss.lambda': 0.1, 'loss.beta': null },
    );
    expect(best).toEqual({
      ...configuration,
      loss: { ...configuration.loss, lambda: 0.1, beta: null },
      bestBy: 'macroF2',
      // The search decides what to try next by its results, so a promise about its best trial is approximate.
      evaluation: {
        ...configuration.evaluation,
        decision: { ...configuration.evaluation.decision, candidates: 'adaptive' },
      },
    });
  });
});

describe('the importance of a field', () => {
  const trials = (pairs: readonly (readonly [number | string, number])[]): Trial[] =>
    pairs.map(([x, score], number) => ({
      number,
      values: { x },
      status: 'finished',
      attempt: 1,
      worker,
      folder: '',
      history: [score],
      deaths: 0,
    }));

  test('is the rank correlation with a better metric, where ties share their mean rank', () => {
    const pairs = [1, 2, 3, 4, 5].map((x) => [x, Math.exp(x)] as const);
    expect(fieldImportance(trials(pairs), 'x', 'mAP')).toBeCloseTo(1, 12);
    expect(fieldImportance(trials(pairs), 'x', 'bce')).toBeCloseTo(-1, 12);
    // scipy.stats.spearmanr([1, 2, 2, 3, 4], [5, 1, 3, 4, 2]) is -0.41039134…
    const tied = [
      [1, 5],
      [2, 1],
      [2, 3],
      [3, 4],
      [4, 2],
    ] as const;
    expect(fieldImportance(trials(tied), 'x', 'mAP')).toBeCloseTo(-0.410391340834062, 12);
  });

  test('is null for names, for a single value and for few trials', () => {
    expect(fieldImportance(trials([1, 2, 3, 4, 5].map((s) => ['a', s] as const)), 'x', 'mAP')).toBeNull();
    expect(fieldImportance(trials([1, 2, 3, 4, 5].map((s) => [7, s] as const)), 'x', 'mAP')).toBeNull();
    expect(
      fieldImportance(
        trials([
          [1, 1],
          [2, 2],
        ]),
        'x',
        'mAP',
      ),
    ).toBeNull();
  });
});

describe('the search', () => {
  test('by default covers the loss, and the area around the configured rate, decay and batch size', () => {
    const found = Object.entries(defaultSearch(configuration));
    expect(Object.fromEntries(found.map(([field, space]) => [field, spaceText(space)]))).toEqual({
      'loss.alpha': 'uniform(0.1,1)',
      'loss.lambda': 'log(0.005,1)',
      'loss.beta': 'choice(null,0.9,0.99,0.999,0.9999)',
      'optimizer.rate': 'log(0.0002,0.02)',
      'optimizer.weightDecay': 'log(0.005,0.5)',
      batchSize: 'choice(32,64,128)',
    });
    const plain = { ...configuration, loss: { ...configuration.loss, name: 'bce' as const } };
    expect(defaultSearch(plain)).not.toHaveProperty('loss.lambda');
  });

  test('accepts a field with its space, or alone with the default space', () => {
    expect(searchSpace(parseSearch(['epochs=int(2, 9)', 'loss.lambda']), configuration)).toEqual({
      epochs: { kind: 'int', low: 2, high: 9 },
      'loss.lambda': { kind: 'log', low: 0.005, high: 1 },
    });
    expect(() => searchSpace({ epochs: 'default' }, configuration)).toThrow(
      'search: epochs has no default space',
    );
    expect(() => searchSpace({ epochs: { kind: 'int', low: 9, high: 2 } }, configuration)).toThrow(
      'search: int(9,2): expected two numbers, the lower one first',
    );
    expect(() => parseSearch(['epochs=int(1,2)', 'epochs=int(1,3)'])).toThrow('listed twice');
  });

  test.each([
    [['loss.lamda=log(0.1,1)'], "did you mean 'lambda'?"],
    [['loss.lambda=log(0.1,3)'], 'search: loss.lambda=log(0.1,3): '],
    [['batchSize=uniform(16,64)'], 'search: batchSize=uniform(16,64): '],
    [['optimizer.name=choice(sgd,adam)'], 'search: optimizer.name=choice(sgd,adam): '],
  ])('%j is refused before any trial: %s', (texts, message) => {
    const search = searchSpace(parseSearch(texts), configuration);
    expect(() => checkSearch({ ...settings, search })).toThrow(message);
    expect(() => checkSearch(settings)).not.toThrow();
  });
});

test('the first rung comes after the warm-up', () => {
  expect(defaultMinEpochs({ epochs: 90, schedule: { warmUpEpochs: 5 } })).toBe(8);
  expect(defaultMinEpochs({ epochs: 8, schedule: { warmUpEpochs: 0 } })).toBe(1);
});
