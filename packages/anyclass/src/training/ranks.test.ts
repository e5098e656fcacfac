// Several processes that train together, with the built package, compared with one: that of the tests. Longer tests: npm run test:ranks.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distributed } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { program } from '../../test/program.mjs';
import { rankGradients, runRanks } from '../../test/ranks.mjs';
import type { ConfigurationInput } from '../configuration/schema.js';
import { readEpochs } from '../runs/metricsLog.js';
import { loadModel } from '../runs/modelFile.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

const { unavailable } = distributed.distributedStatus();
const fields = [
  'network.inputSize=16',
  'data.digits.scenes={"train":32,"validation":16,"test":16}',
  'batchSize=16',
  'epochs=2',
  'evaluation.replicates=0',
  'device=cpu',
  'threads=1',
  'averageDecay=0.9',
  'mixing={"mixup":0.3,"cutMix":0.3,"union":0.3}',
  'sampling={"negatives":0.8}',
];
const words = (run: string) => [
  'train',
  'quick',
  '--run',
  at(run),
  ...fields.flatMap((field) => ['--set', field]),
];

describe.skipIf(unavailable !== null)(`ranks${unavailable ? ` (skipped: ${unavailable})` : ''}`, () => {
  test('two processes have the gradient, the statistics and the loss of one', async () => {
    const one = await rankGradients(at('one'), 1, ['tresnet-s', '1']);
    const two = await rankGradients(at('two'), 2, ['tresnet-s', '1']);
    expect(distance(one.gradient, two.gradient)).toBeLessThan(1e-6);
    expect(distance(one.metrics, two.metrics)).toBeLessThan(1e-6);
  }, 120_000);

  test('training matches that of one process, and only one file of each kind is written', async () => {
    expect(await runInProcess(folder, words('alone'))).toMatchObject({ status: 0 });
    const [first, second] = await runRanks([program, ...words('together')], 2);
    expect(first).toMatchObject({ code: 0 });
    expect(second).toEqual({ code: 0, signal: null, output: '', errors: '' });
    const curves = ['alone', 'together'].map((run) => readEpochs(join(at(run), 'metrics.jsonl')));
    expect(curves[1]).toHaveLength(2);
    curves[1]!.forEach(({ trainingLoss, validationLoss }, i) => {
      expect(trainingLoss / curves[0]![i]!.trainingLoss).toBeCloseTo(1, 2);
      expect(validationLoss / curves[0]![i]!.validationLoss).toBeCloseTo(1, 2);
    });
    const record = JSON.parse(readFileSync(at('together', 'config.json'), 'utf8'));
    expect(record.distribution).toEqual({ worldSize: 2, backend: 'gloo' });
    const names = (run: string) => readFileSync(at(run, 'scores', 'test.csv'), 'utf8').replaceAll(/,.*/g, '');
    expect(names('together')).toBe(names('alone'));
  }, 180_000);

  test('an error on one rank stops all ranks with its reason, and leaves no folder behind', async () => {
    const [first, second] = await runRanks([program, ...words('refused'), '--set', 'batchSize=1'], 2);
    for (const rank of [first, second])
      expect([rank?.code, rank?.errors]).toEqual([1, expect.stringContaining('batchSize is 1')]);
    expect(existsSync(at('refused'))).toBe(false);
  }, 60_000);

  test('stopped and resumed on two, three and one ranks, every row trains once per epoch, in the order of one process', async () => {
    const script = fileURLToPath(new URL('../../test/stoppedRanks.mjs', import.meta.url));
    const until = async (run: string, processes: number, epoch: number, step: number, begun?: object) => {
      const given = begun ? [JSON.stringify(begun)] : [];
      const ends = await runRanks([script, at(run), String(epoch), String(step), ...given], processes);
      for (const { code, errors } of ends) expect([code, errors]).toEqual([0, '']);
      return ends[0]!.output;
    };
    await trainRun(soil(), { run: at('never stopped') });
    await until('stopped', 2, 1, 3, soil());
    const newest = () =>
      readdirSync(at('stopped', 'checkpoints'))
        .filter((name) => name.startsWith('epoch-'))
        .sort()
        .at(-1);
    expect(newest()).toBe('epoch-0000-step-000004.safetensors');
    // The last batch has only 2 rows for 3 ranks.
    expect(await until('stopped', 3, 2, 1)).toContain('written by 2 processes and resumes on 3 processes');
    expect(newest()).toBe('epoch-0001-step-000002.safetensors');
    expect(await until('stopped', 1, 9, 0)).toContain('written by 3 processes and resumes on 1 process');
    const [whole, pieces] = ['never stopped', 'stopped'].map(weightsOf);
    expect(distance(whole!, pieces!)).toBeLessThan(1e-5);
  }, 180_000);

  test('ranks with different configurations do not start', async () => {
    const ends = await runRanks(
      (rank: number) => [program, ...words('differing'), '--set', `seed=${rank}`],
      2,
    );
    for (const { code, errors } of ends) {
      expect(code).toBe(1);
      expect(errors).toContain('seed: 0 on rank 0, 1 on rank 1');
    }
    expect(readdirSync(folder)).not.toContain('differing');
  }, 60_000);
});

/**
 * 50 training rows in 7 steps; a row that is left out or seen twice changes the weights by about one percent.
 */
function soil(): ConfigurationInput {
  const rows = Array.from({ length: 70 }, (_, i) => {
    const split = i < 50 ? 'train' : i < 60 ? 'validation' : 'test';
    return `${i},${split},${i % 2},${Number(i % 5 === 0)},${Math.sin(i * i)},${Math.cos(3 * i)}`;
  });
  writeFileSync(at('soil.csv'), `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
  return {
    data: { dataset: at('soil.csv') },
    network: { name: 'linear' },
    optimizer: { name: 'sgd', rate: 0.1 },
    batchSize: 8,
    epochs: 3,
    evaluation: { replicates: 0 },
    device: 'cpu',
    threads: 1,
  };
}

function weightsOf(run: string): Float32Array {
  using network = loadModel(at(run)).network;
  return Float32Array.from([...network.stateDict().values()].flatMap((each) => [...each.toFloat32Array()]));
}

function distance(expected: Float32Array, found: Float32Array): number {
  expect(found.length).toBe(expected.length);
  const squares = (values: Float32Array) => values.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(squares(expected.map((value, i) => value - found[i]!)) / squares(expected));
}
