// Which runs are read, and which form a group.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { lossRun, writeSyntheticRun, writeThreeLosses } from '../../test/experimentRuns.js';
import type { LossName } from '../losses/lossNames.js';
import { compareRuns } from './comparison.js';
import { readRun, readRuns } from './readRuns.js';
import { groupBySeed, withoutTwins } from './seedGroups.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

beforeAll(() => writeThreeLosses(at('all')));

test('a folder of runs yields all finished ones, with their settings', () => {
  const runs = readRuns([at('all')]);
  expect(runs).toHaveLength(9);
  expect(runs[0]).toMatchObject({
    loss: 'any-bce',
    lambda: 0.02,
    network: 'tresnet-m',
    dataset: 'pipes',
    seed: 1,
  });
  expect(readRuns([at('all/bce-2')])[0]).toMatchObject({ loss: 'bce', seed: 2 });
});

test('folders without a finished run are refused, and named', () => {
  expect(() => readRuns([at('nowhere')])).toThrow('nowhere: no such folder');
  writeSyntheticRun(at('begun/one'), lossRun('bce', 1, 1));
  rmSync(at('begun/one/summary.json'));
  expect(() => readRuns([at('begun')])).toThrow('contains no finished run');
  expect(() => readRun(at('begun/one'))).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('begun/one: the run is not finished'),
      next: { command: 'train', options: { resume: at('begun/one') } },
    }),
  );
});

test.each(['{"dataset":"p\u0001', '{}', '{"dataset":"pipes","network":"tresnet-m","loss":"bce"}'])(
  'a run whose summary holds %j is refused, with its name and what to do',
  (text) => {
    writeSyntheticRun(at('summary/one'), lossRun('bce', 1, 1));
    writeFileSync(at('summary/one/summary.json'), text);
    expect(() => readRuns([at('summary')])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/one\/summary\.json is damaged \(.*\); resume the run/),
        next: { command: 'train', options: { resume: at('summary/one') } },
      }),
    );
    rmSync(at('summary'), { recursive: true });
  },
);

test('datasets with the same name are told apart by path, unless they are the same data', () => {
  const on = (name: string, path: string, datasetFingerprint: string) =>
    writeSyntheticRun(at(`sites/${name}`), {
      configuration: { data: { dataset: path } },
      strength: 1,
      datasetFingerprint,
    });
  on('1', '/a/pipes.csv', 'one');
  on('2', '/b/pipes.csv', 'two');
  expect(readRuns([at('sites')]).map(({ dataset }) => dataset)).toEqual(['/a/pipes.csv', '/b/pipes.csv']);
  on('3', '/c/pipes.csv', 'one');
  expect(readRuns([at('sites/1'), at('sites/3')]).map(({ dataset }) => dataset)).toEqual(['pipes', 'pipes']);
});

test('datasets with the same name and path are told apart by the fields that produced them', async () => {
  const on = (name: string, loss: LossName, digits: object, datasetFingerprint: string, more = {}) =>
    writeSyntheticRun(at(`drawn/${name}`), {
      configuration: { data: { dataset: 'digits', digits, ...more }, loss: { name: loss } },
      strength: 1,
      datasetFingerprint,
    });
  on('1', 'bce', { seed: 1 }, 'one');
  on('2', 'bce', { seed: 2 }, 'two');
  on('3', 'any-bce', { seed: 1 }, 'one');
  on('4', 'any-bce', { seed: 2 }, 'two', { subset: { instances: 5 } });
  on('5', 'any-bce', {}, 'three', { keep: ['crack'] });
  on('6', 'any-bce', { scenes: { train: 5, validation: 60, test: 60 } }, 'four', { keep: ['crack'] });
  const runs = readRuns([at('drawn')]);
  expect(runs.map(({ dataset }) => dataset)).toEqual([
    'pipes (digits.seed=1)',
    'pipes (digits.seed=2)',
    'pipes (digits.seed=1)',
    'pipes (digits.seed=2)',
    'pipes (crack; digits.scenes.validation=unset; digits.scenes.test=unset)',
    'pipes (crack; digits.scenes.validation=60; digits.scenes.test=60)',
  ]);
  const { differences } = await compareRuns(runs, { replicates: 5 });
  expect(differences.map(({ dataset, loss }) => [dataset, loss])).toEqual([
    ['pipes (digits.seed=1)', 'any-bce λ=0.02'],
    ['pipes (digits.seed=2)', 'any-bce λ=0.02'],
  ]);
});

test('runs that differ only in their seed or in where they were computed form one group', () => {
  writeSyntheticRun(at('elsewhere'), {
    configuration: {
      data: { dataset: 'pipes.csv', cache: 'x' },
      loss: { name: 'bce' },
      seed: 4,
      device: 'cpu',
      threads: 3,
    },
    strength: 1.2,
  });
  const groups = groupBySeed(readRuns([at('all'), at('elsewhere')]));
  expect(groups.map(({ label, seeds }) => [label, seeds])).toEqual([
    ['any-bce λ=0.02', [1, 2, 3]],
    ['any-bce λ=0.2', [1, 2, 3]],
    ['bce', [1, 2, 3, 4]],
  ]);
});

test('groups of the same loss are told apart by the fields that differ', () => {
  writeSyntheticRun(at('alpha/one'), lossRun('any-bce', 1, 2, { alpha: 0.5 }));
  writeSyntheticRun(at('alpha/two'), lossRun('any-bce', 1, 2, { alpha: 1 }));
  expect(groupBySeed(readRuns([at('alpha')])).map(({ label }) => label)).toEqual([
    'any-bce λ=0.02 alpha=0.5',
    'any-bce λ=0.02 alpha=1',
  ]);
});

test('short labels have only the fields that it takes to tell groups apart', () => {
  const balanced = { beta: 0.9999, reduction: 'batch' };
  writeSyntheticRun(at('short/one'), lossRun('any-bce', 1, 2, { lambda: 0.02, ...balanced }));
  writeSyntheticRun(
    at('short/two'),
    lossRun('any-bce', 1, 2, { lambda: 0.2, beta: null, reduction: 'mean' }),
  );
  writeSyntheticRun(at('short/three'), lossRun('any-bce', 1, 2, { lambda: 0.2, ...balanced }));
  writeSyntheticRun(at('short/zero'), lossRun('bce', 1, 1));
  const labels = groupBySeed(readRuns([at('short')])).map(({ label, shortLabel }) => [label, shortLabel]);
  expect(Object.fromEntries(labels)).toEqual({
    'any-bce λ=0.02 β=0.9999 reduction=batch': 'any-bce λ=0.02',
    'any-bce λ=0.2 unbalanced reduction=mean': 'any-bce λ=0.2 unbalanced',
    'any-bce λ=0.2 β=0.9999 reduction=batch': 'any-bce λ=0.2 β=0.9999',
    bce: 'bce',
  });
});

test('of several runs with the same configuration and seed, the first is kept', () => {
  const { runs, twins } = withoutTwins(readRuns([at('all'), at('all/bce-2'), at('all/any-1')]));
  expect(runs).toHaveLength(9);
  expect(twins.map(({ left, kept }) => [left.folder, kept.folder])).toEqual([
    [at('all/bce-2'), at('all/bce-2')],
    [at('all/any-1'), at('all/any-1')],
  ]);
});
