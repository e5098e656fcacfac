import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { tinyRun } from '../../test/tinyRun.js';
import { validateConfiguration } from '../configuration/validate.js';
import { loadModel } from '../runs/modelFile.js';
import { openRun } from '../runs/runFolder.js';
import { resumeRun } from './resumeRun.js';
import { soupCandidates, soupRuns, useWeights } from './soup.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);
const runs = ['a', 'b', 'c'].map((name) => at(name));

beforeAll(async () => {
  const shared = { ...tinyRun, epochs: 1, finalWeights: 'last', evaluation: { replicates: 0 } } as const;
  await trainRun(shared, { run: at('start') });
  for (const [i, run] of runs.entries()) {
    const network = { ...tinyRun.network, weights: at('start') };
    await trainRun({ ...shared, network, seed: i + 1, optimizer: { rate: 1e-4 } }, { run });
  }
}, 120_000);

test('the soup is a run with the mean of the kept weights, no worse on validation than the best of the runs', async () => {
  const { status, stdout, stderr } = await runInProcess(folder, [
    'soup',
    ...runs,
    '--out',
    'soup',
    '--by',
    'loss',
    '--json',
  ]);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/: loss [\d.]+ on validation/)]);
  const { kept, values, value, summary } = JSON.parse(stdout);
  expect(Object.keys(values)).toEqual(runs);
  expect(value).toBeLessThanOrEqual(Math.min(...Object.values<number>(values)));
  expect(runs).toEqual(expect.arrayContaining(kept));
  // Three runs that keep their last weights: seven averages could have come out.
  expect(loadModel(at('soup')).description.decision?.candidates).toBe(7);
  expect(openRun(at('soup')).record.soup).toEqual({ runs, kept });
  expect(summary.test.metrics.mAP).toBeTypeOf('number');
  expect(existsSync(at('soup', 'report.html'))).toBe(true);
  const evaluated = await runInProcess(folder, ['evaluate', 'soup', '--split', 'test', '--json']);
  expect(JSON.parse(evaluated.stdout).metrics.mAP).toBe(summary.test.metrics.mAP);
}, 180_000);

test('averaged weights are the mean of those of the runs', () => {
  const weightsOf = (run: string) => {
    using network = loadModel(run).network;
    return network.stateDict().get('head.fc.weight')!.toFloat32Array();
  };
  using network = loadModel(runs[0]!).network;
  useWeights(network, runs);
  const others = runs.map(weightsOf);
  expect(others[1]).not.toEqual(others[0]);
  network
    .stateDict()
    .get('head.fc.weight')!
    .toFloat32Array()
    .forEach((weight, i) => {
      expect(weight).toBeCloseTo(
        others.reduce((sum, one) => sum + one[i]! / 3, 0),
        5,
      );
    });
});

test('runs of other networks or data, a single run, and a folder in use are refused; a soup is not trained on', async () => {
  const other = at('other');
  await trainRun(
    { ...tinyRun, epochs: 1, network: { ...tinyRun.network, head: 'gem' }, evaluation: { replicates: 0 } },
    { run: other },
  );
  await expect(soupRuns([runs[0]!, other], { out: at('refused') })).rejects.toThrow(
    /cannot be averaged: their networks differ/,
  );
  await expect(soupRuns(runs, { out: at('soup') })).rejects.toThrow(
    /already holds a run; choose another folder$/,
  );
  await expect(soupRuns([runs[0]!, runs[1]!, `${runs[0]!}/`], { out: at('refused') })).rejects.toThrow(
    /given twice/,
  );
  expect((await runInProcess(folder, ['soup', runs[0]!, '--out', 'refused'])).status).toBe(2);
  expect(existsSync(at('refused'))).toBe(false);
  rmSync(at('soup', 'summary.json'));
  await expect(resumeRun(at('soup'))).rejects.toThrow(/a soup has no training to resume/);
  rmSync(join(other, 'summary.json'));
  await expect(soupRuns([runs[0]!, other], { out: at('refused') })).rejects.toThrow(
    /not finished; resume it/,
  );
}, 180_000);

test('the promise counts every soup that could have come out', () => {
  const ingredient = (changes: object, epochs: number) => ({
    record: { configuration: validateConfiguration({ data: { dataset: 'digits' }, ...changes }) },
    epochs,
  });
  const last = ingredient({ finalWeights: 'last' }, 9);
  const best = ingredient({}, 9);
  expect(soupCandidates([last, last])).toBe(3);
  expect(soupCandidates([last, best])).toBe(19);
  expect(soupCandidates(Array(40).fill(last))).toBe('adaptive');
  const searched = { evaluation: { decision: { candidates: 'adaptive' } } };
  expect(soupCandidates([last, ingredient(searched, 9)])).toBe('adaptive');
});
