import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, pairedBootstrap } from '@anyclass/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import {
  lossRun,
  writeRunWithEpochs,
  writeSyntheticRun,
  writeThreeLosses,
} from '../../test/experimentRuns.js';
import type { LossName } from '../losses/lossNames.js';
import { compareRuns } from './comparison.js';
import { comparisonTables } from './comparisonTables.js';
import { headlineDifference } from './comparisonVerdict.js';
import { heldText } from './differenceTable.js';
import { readRuns } from './readRuns.js';
import { writeResultFiles } from './results.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

beforeAll(() => writeThreeLosses(at('all')));

describe('a comparison', () => {
  test('has the mean and standard deviation of every metric over seeds', async () => {
    const runs = readRuns([at('all')]);
    const { groups } = await compareRuns(runs, { replicates: 0 });
    const bce = groups.find(({ loss }) => loss === 'bce')!;
    const ofSeeds = await Promise.all(
      runs
        .filter(({ loss }) => loss === 'bce')
        .map(async (each) => measure((await each.scores('test'))!).mAP!),
    );
    const mean = ofSeeds.reduce((sum, value) => sum + value, 0) / 3;
    expect(bce.test!.mAP!.mean).toBeCloseTo(mean, 12);
    const variance = ofSeeds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 2;
    expect(bce.test!.mAP!.standardDeviation).toBeCloseTo(Math.sqrt(variance), 12);
    expect(bce.metrics).toEqual(['macroF1', 'macroF2', 'mAP', 'f1Neg']);
  });

  test('compares every any-class loss with its standard loss on the same instances', async () => {
    const { differences } = await compareRuns(readRuns([at('all')]), { replicates: 60 });
    expect(differences.map(({ loss, standard, split }) => [loss, standard, split])).toEqual([
      ['any-bce λ=0.02', 'bce', 'test'],
      ['any-bce λ=0.2', 'bce', 'test'],
    ]);
    const { mAP } = differences[0]!.atHalf;
    expect(mAP).toMatchObject({ holds: 'higher' });
    expect(mAP!.perSeed).toHaveLength(3);
    expect(mAP!.value).toBeCloseTo(mAP!.perSeed.reduce((sum, value) => sum + value, 0) / 3, 12);
  });

  test('gives every other loss its test against bce, where its own standard loss was not trained', async () => {
    const losses: readonly (readonly [LossName, number])[] = [
      ['focal', 1],
      ['bce', 1],
      ['asl', 4],
      ['any-focal', 2],
      ['any-bce', 2],
    ];
    for (const [loss, strength] of losses) writeRunWithEpochs(at('five'), loss, 0.02, 1, strength);
    const comparison = await compareRuns(readRuns([at('five')]), { replicates: 20 });
    const pairs = comparison.differences.map(({ loss, standard }) => `${loss} over ${standard}`);
    expect(pairs.sort()).toEqual([
      'any-bce λ=0.02 over bce',
      'any-focal λ=0.02 over focal',
      'asl over bce',
      'focal over bce',
    ]);
    // What they focus with is part of these losses.
    expect(comparison.confounded).toEqual([]);
    // The headline stays with what the method adds, although asl is better here.
    expect(headlineDifference(comparison)?.loss).toMatch(/^any-/);
    rmSync(at('five/focal-0.02-1'), { recursive: true });
    const { differences } = await compareRuns(readRuns([at('five')]), { replicates: 20 });
    expect(differences.find(({ loss }) => loss.startsWith('any-focal'))?.standard).toBe('bce');
  });

  test('of single runs is the paired bootstrap of their scores', async () => {
    const runs = readRuns([at('all/bce-1'), at('all/any-1')]);
    const { differences } = await compareRuns(runs, { replicates: 40 });
    const [first, second] = await Promise.all(runs.map((each) => each.scores('test')));
    const expected = pairedBootstrap(first!, second!, { replicates: 40 }).overall.macroF1!;
    expect(differences[0]!.atHalf.macroF1!.low).toBeCloseTo(expected.low, 12);
    expect(differences[0]!.atHalf.macroF1!.high).toBeCloseTo(expected.high, 12);
  });

  test('uses the seeds that both sides share, or all of each side if they share none', async () => {
    const of = async (...names: string[]) => {
      const { differences } = await compareRuns(readRuns(names.map((name) => at(`all/${name}`))), {
        replicates: 20,
      });
      return differences[0]!.atHalf.mAP!;
    };
    const shared = await of('bce-1', 'bce-2', 'any-1', 'any-2');
    const more = await of('bce-1', 'bce-2', 'bce-3', 'any-1', 'any-2');
    expect(more).toEqual(shared);
    const apart = await of('bce-1', 'any-2', 'any-3');
    expect(apart.perSeed).toEqual([]);
    expect(apart.value).toBeCloseTo(apart.second - apart.first, 12);
  });

  test('does not depend on the order of the rows in the files', async () => {
    writeSyntheticRun(at('shuffled'), lossRun('any-bce', 1, 2.4));
    for (const file of ['test.csv', 'test-labels.csv', 'validation.csv', 'validation-labels.csv']) {
      const [header, ...lines] = readFileSync(at(`shuffled/scores/${file}`), 'utf8')
        .trim()
        .split('\n');
      writeFileSync(at(`shuffled/scores/${file}`), `${[header, ...lines.reverse()].join('\n')}\n`);
    }
    const difference = async (other: string) => {
      const { groups, differences } = await compareRuns(readRuns([at('all/bce-1'), at(other)]), {
        replicates: 30,
      });
      return { differences, decided: groups.map(({ decided }) => decided?.validation?.macroF1) };
    };
    expect(await difference('shuffled')).toEqual(await difference('all/any-1'));
  });

  test('falls back to validation at 0.5 if the test split has no labels', async () => {
    for (const loss of ['bce', 'any-bce'] as const)
      writeSyntheticRun(at(`unlabeled/${loss}`), { ...lossRun(loss, 1, 2), hasTestLabels: false });
    const { groups, differences } = await compareRuns(readRuns([at('unlabeled')]), { replicates: 10 });
    expect(groups[0]).toMatchObject({ test: null, decided: { test: null, tradeOff: null } });
    expect(groups[0]!.decided!.validation!.macroF1!.mean).toBeGreaterThan(0);
    expect(differences[0]).toMatchObject({ split: 'validation', atDecision: null, replicates: 0 });
  });

  test('of runs on different images has their metrics and a note, but no difference', async () => {
    writeSyntheticRun(at('other'), { ...lossRun('any-bce', 1, 2), rows: 61 });
    const folders = ['all/bce-1', 'all/any-strong-1', 'other'].map(at);
    const { groups, differences, notes } = await compareRuns(readRuns(folders), { replicates: 5 });
    expect(groups.map(({ label }) => label)).toEqual(['bce', 'any-bce λ=0.2', 'any-bce λ=0.02']);
    expect(differences.map(({ loss }) => loss)).toEqual(['any-bce λ=0.2']);
    expect(notes).toEqual([
      `any-bce λ=0.02 is not compared with bce: ${at('other')} and ${at('all/bce-1')} were not evaluated on the same test instances: 1 (test-60.png) only in the first, none only in the second`,
    ]);
  });

  test.each([
    [
      'other labels',
      'test-labels',
      (line: string) => line.replace(/.,.,.$/, '1,1,1'),
      'disagree on the labels of test instances: ',
    ],
    [
      'other validation images',
      '',
      (line: string) => line.replace('validation-59', 'x'),
      'evaluated on the same validation instances: 1 (x.png)',
    ],
  ])('of runs with %s has a note', async (_, only, change, message) => {
    writeSyntheticRun(at('changed'), lossRun('any-bce', 1, 2));
    for (const name of ['validation', 'validation-labels', 'test', 'test-labels']) {
      if (!name.startsWith(only)) continue;
      const path = at(`changed/scores/${name}.csv`);
      writeFileSync(path, readFileSync(path, 'utf8').split('\n').map(change).join('\n'));
    }
    const { notes } = await compareRuns(readRuns([at('all/bce-1'), at('changed')]), { replicates: 0 });
    expect(notes).toEqual([expect.stringContaining(message)]);
    rmSync(at('changed'), { recursive: true });
  });

  test.each([{ rows: 59 }, { hasTestLabels: false }])(
    'of seeds with different numbers of images is refused: %j',
    async (change) => {
      writeSyntheticRun(at('short'), { ...lossRun('bce', 5, 2), ...change });
      await expect(compareRuns(readRuns([at('all'), at('short')]))).rejects.toThrow(
        /bce-1 was evaluated on 60 (validation|test) instances, .*short on (59|0): both are seeds of bce/,
      );
      rmSync(at('short'), { recursive: true });
    },
  );

  test('of a run with itself is refused', async () => {
    const runs = readRuns([at('all/bce-1'), at('all/bce-1')]);
    await expect(compareRuns(runs)).rejects.toThrow('are the same: bce with seed 1');
  });
});

describe('runs that differ in more than the loss', () => {
  const write = (name: string, loss: LossName, epochs: number, seed = 1) =>
    writeSyntheticRun(at(`mixed/${name}`), {
      configuration: { data: { dataset: 'pipes.csv' }, loss: { name: loss }, epochs, seed },
      strength: loss === 'bce' ? 1.2 : 2.4,
    });

  test('are marked in the comparison, the verdict and every table, with the fields and both values', async () => {
    write('any', 'any-bce', 30);
    write('bce', 'bce', 20);
    const comparison = await compareRuns(readRuns([at('mixed')]), { replicates: 30 });
    expect(comparison.confounded).toEqual([
      {
        dataset: 'pipes',
        network: 'tresnet-m',
        loss: 'any-bce λ=0.02',
        standard: 'bce',
        fields: [{ field: 'epochs', first: '30', second: '20' }],
      },
    ]);
    expect(comparison.verdict).toContain('they also differ in epochs (30 and 20)');
    const tables = comparisonTables(comparison).map(({ table }) => table);
    for (const { note } of tables) expect(note).toContain('any-bce λ=0.02 and bce also differ in epochs');
    const differences = tables.at(-1)!;
    expect(differences.columns.at(-1)!.title).toBe('also differs in');
    expect(differences.rows.map((row) => row.at(-1))).toEqual(
      differences.rows.map(() => 'epochs (30 and 20)'),
    );
  });

  test('are not compared if there are several standard losses, none with the same settings', async () => {
    write('bce-more', 'bce', 25);
    const { differences, notes } = await compareRuns(readRuns([at('mixed')]), { replicates: 5 });
    expect(differences).toEqual([]);
    expect(notes).toEqual([
      'any-bce λ=0.02 is not compared: bce epochs=20, bce epochs=25 all differ from it in more than the loss',
    ]);
  });

  test('do not include those that differ only in the any-class term, the seed or the path of the same data', async () => {
    writeSyntheticRun(at('moved'), {
      configuration: { data: { dataset: '/elsewhere/pipes.csv' }, loss: { name: 'bce' }, seed: 2 },
      strength: 1.2,
    });
    const runs = readRuns([at('moved'), at('all/any-2'), at('all/any-strong-3')]);
    expect((await compareRuns(runs, { replicates: 0 })).confounded).toEqual([]);
  });
});

test('tables highlight metrics whose difference holds, and say in words which', async () => {
  const comparison = await compareRuns(readRuns([at('all')]), { replicates: 60 });
  const tables = comparisonTables(comparison);
  expect(tables.map(({ name }) => name)).toEqual(['decisions', 'results', 'differences']);
  const [decisions, results, differences] = tables.map(({ table }) => table);
  expect(decisions!.title).toBe('pipes, at 5% false alarms');
  expect(decisions!.note).toContain('too few negatives to guarantee');
  expect(decisions!.columns.map(({ group, title }) => `${group ?? ''} ${title}`)).toEqual([
    ' loss',
    ' seeds',
    'Validation F1',
    'Validation false alarms',
    ...['F1', 'F2', 'F1-Neg', 'false alarms', 'presence AUC', 'mAP'].map((title) => `Test ${title}`),
  ]);
  expect(differences!.note).toContain('60 replicates at 0.5; 60 at decisions');
  expect(differences!.rows.map(([, where]) => where)).toEqual([
    'at 5% false alarms',
    'at 0.5',
    'at 5% false alarms',
    'at 0.5',
  ]);
  expect(results!.rows.map(([label]) => label)).toEqual(['any-bce λ=0.02', 'any-bce λ=0.2', 'bce']);
  expect(results!.columns.map(({ group, title }) => `${group ?? ''} ${title}`)).toContain('Test F1-Neg');
  const mAP = results!.columns.findIndex(({ group, title }) => group === 'Test' && title === 'mAP');
  expect(results!.rows[1]![mAP]).toMatchObject({ emphasis: 'strong' });
  expect(results!.rows[2]![mAP]).not.toHaveProperty('emphasis');
  expect(differences!.rows[1]!.at(-1)).toMatch(/^higher: .*mAP/);
  writeResultFiles(at('files'), 'comparison', comparison, tables);
  expect(JSON.parse(readFileSync(at('files/comparison.json'), 'utf8'))).toEqual(comparison);
  expect(readFileSync(at('files/tables/results.tex'), 'utf8')).toContain('\\toprule');
});

test('tables that a result no longer has are removed, and no others', async () => {
  const out = at('fewer');
  const written = () => readdirSync(join(out, 'tables')).filter((name) => name.endsWith('.csv'));
  const write = async (name: 'comparison' | 'sweep', folders: string[], replicates: number) => {
    const comparison = await compareRuns(readRuns(folders.map(at)), { replicates });
    const result = name === 'sweep' ? { comparison } : comparison;
    writeResultFiles(out, name, result, comparisonTables(comparison));
  };
  const both = ['all/bce-1', 'all/any-1'];
  await write('sweep', both, 5);
  await write('comparison', both, 5);
  writeFileSync(join(out, 'tables', 'own-results.csv'), 'mine');
  await write('comparison', ['all/bce-1'], 0);
  expect(written()).toEqual([
    'decisions.csv',
    'own-results.csv',
    'results.csv',
    'sweep-decisions.csv',
    'sweep-differences.csv',
    'sweep-results.csv',
  ]);
  await write('sweep', ['all/bce-1'], 0);
  expect(written()).toEqual([
    'decisions.csv',
    'own-results.csv',
    'results.csv',
    'sweep-decisions.csv',
    'sweep-results.csv',
  ]);
});

test('a difference that holds but not for every seed is marked', () => {
  const difference = (perSeed: number[]) => ({
    value: 0.02,
    low: 0.01,
    high: 0.03,
    standardError: 0.01,
    undefinedReplicates: 0,
    first: 0.5,
    second: 0.52,
    pValue: 0,
    holds: 'higher' as const,
    perSeed,
  });
  const none = { macroF2: null, f2Ciw: null, f1Neg: null, falseAlarmRate: null };
  const differences = { ...none, macroF1: difference([0.01, 0.03]), mAP: difference([-0.01, 0.05]) };
  expect(heldText(['macroF1', 'macroF2', 'mAP', 'f1Neg'], differences)).toBe('higher: F1, mAP*');
});
