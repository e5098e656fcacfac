import { describe, expect, test } from 'vitest';
import { parseLosses } from '../commandLine/grammar/variants.js';
import { validateConfiguration } from '../configuration/validate.js';
import { bySimplicity, candidateLists, type LossFields, listedCandidates } from './candidates.js';
import { pilotConfiguration } from './pilotConfiguration.js';

const configured = (loss: Partial<LossFields>) =>
  validateConfiguration({ data: { dataset: 'digits' }, loss }).loss;
const labels = (loss: Partial<LossFields>, keepsOwn = true) =>
  candidateLists(configured(loss), { keepsOwn }).map((list) => list.map(({ label }) => label));

describe('the candidates', () => {
  test('are base losses, balancing and λ in all combinations, or a subset of them', () => {
    const lists = labels({}, false);
    expect(lists.map(({ length }) => length)).toEqual([24, 12, 6]);
    expect(lists[0]).toEqual(
      expect.arrayContaining(['bce', 'any-bce λ=0.02', 'asl', 'any-asl λ=0.2 balanced']),
    );
    expect(lists[2]).toEqual([
      'bce',
      'any-bce λ=0.02',
      'any-bce λ=0.1',
      'bce balanced',
      'any-bce λ=0.02 balanced',
      'asl',
    ]);
    for (const list of lists) expect(new Set(list).size).toBe(list.length);
  });

  test('have either no balancing with the plain mean, or effective numbers with the paper’s reduction', () => {
    const [list] = candidateLists(configured({ beta: 0.99, alpha: 0.5 }), { keepsOwn: false });
    for (const { loss } of list!) {
      expect([loss.beta, loss.reduction]).toEqual(loss.beta === null ? [null, 'mean'] : [0.99, 'batch']);
      expect(loss.alpha).toBe(0.5);
    }
  });

  test('contain the loss of the configuration once, whether it is in the grid or not', () => {
    const roles = (loss: Partial<LossFields>) =>
      candidateLists(configured(loss), { keepsOwn: true }).map((list) =>
        list.flatMap(({ label, role }) => (role === 'configured' ? [label] : [])),
      );
    const balanced: Partial<LossFields> = { beta: 0.9999, reduction: 'batch' };
    const own: Partial<LossFields> = { ...balanced, name: 'any-bce', lambda: 0.02 };
    expect(roles(own)).toEqual(Array(3).fill(['any-bce λ=0.02 balanced']));
    expect(roles({ ...own, lambda: 0.07 })).toEqual(Array(3).fill(['any-bce λ=0.07 balanced (configured)']));
    expect(roles({ ...balanced, name: 'focal', gamma: 1 })).toEqual(
      Array(3).fill(['focal balanced (configured)']),
    );
    expect(roles({ name: 'bce', beta: null, reduction: 'mean', lambda: 0.3 })).toEqual([[], [], []]);
  });

  test('are ordered by the number of parts, then by distance from λ = 0.02', () => {
    const [list] = candidateLists(configured({}), { keepsOwn: false });
    const sorted = list!.toSorted(bySimplicity).map(({ label }) => label);
    expect(sorted[0]).toBe('bce');
    expect(sorted.indexOf('any-bce λ=0.02')).toBeLessThan(sorted.indexOf('any-bce λ=0.01'));
    expect(sorted.indexOf('any-bce λ=0.2')).toBeLessThan(sorted.indexOf('any-bce λ=0.02 balanced'));
  });
});

test('a user may list losses, at least two and each only once', () => {
  const configuration = validateConfiguration({ data: { dataset: 'digits' } });
  const listed = (text: string) => listedCandidates(parseLosses(text), configuration);
  const list = listed('bce@beta=null@reduction=mean,any-bce@lambda=0.2');
  expect(list.map(({ label, role, loss }) => [label, role, loss.name, loss.lambda])).toEqual([
    ['bce beta=null reduction=mean', 'plain', 'bce', 0.02],
    ['any-bce lambda=0.2', undefined, 'any-bce', 0.2],
  ]);
  expect(() => listed('bce')).toThrow(/two losses/);
  expect(() => listed('bce,bce@lambda=0.3')).toThrow(/listed twice/);
  expect(() => listed('bce,focal@epochs=3')).toThrow(/sets epochs; only fields of the loss/);
});

test('a pilot shrinks what is counted in epochs and steps, and leaves the test split untouched', () => {
  const configuration = validateConfiguration({
    data: { dataset: 'digits' },
    epochs: 40,
    schedule: { name: 'steps', milestones: [20, 30], warmUpEpochs: 5, firstCycle: 10 },
    averageDecay: 0.999,
    patience: 3,
  });
  const full = { train: 5000, validation: 900, epochs: 40 };
  const loss = configured({ name: 'bce' });
  const pilot = pilotConfiguration(configuration, loss, { instances: 500, epochs: 4 }, full, 7);
  expect(pilot).toMatchObject({
    epochs: 4,
    seed: 7,
    loss: { name: 'bce' },
    schedule: { milestones: [2, 3], warmUpEpochs: 1, firstCycle: 1 },
    evaluation: { test: false, replicates: 0 },
    data: { subset: { instances: 500 } },
  });
  expect(pilot.patience).toBeUndefined();
  // A hundredth of the steps, so the average reaches back over a hundredth as many.
  expect(pilot.averageDecay).toBeCloseTo(0.999 ** 100, 12);
  const whole = pilotConfiguration(configuration, loss, { instances: 5000, epochs: 40 }, full, 0);
  expect(whole.schedule).toEqual(configuration.schedule);
  expect(whole.averageDecay).toBe(0.999);
  expect(whole.data.subset).toBeUndefined();
});
