// Several processes that train together, on the built package. Longer ones: npm run test:ranks.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distributed } from '@anyclass/torch';
import { afterAll, describe, expect, test } from 'vitest';
import { program, rankGradients, runRanks } from '../../test/ranks.mjs';
import { readEpochs } from '../runs/metricsLog.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-ranks-'));
afterAll(() => rmSync(folder, { recursive: true }));
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
    expect(distance(one.figures, two.figures)).toBeLessThan(1e-6);
  }, 120_000);

  test('training goes as that of one process, and one file of each kind is written', async () => {
    const [alone] = await runRanks([program, ...words('alone')], 1);
    expect(alone).toMatchObject({ code: 0 });
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

  test('what is wrong on one rank ends all with its reason, and leaves no folder behind', async () => {
    const [first, second] = await runRanks([program, ...words('refused'), '--set', 'batchSize=1'], 2);
    for (const rank of [first, second])
      expect([rank?.code, rank?.errors]).toEqual([1, expect.stringContaining('batchSize is 1')]);
    expect(existsSync(at('refused'))).toBe(false);
  }, 60_000);

  test('ranks with other configurations do not begin', async () => {
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

function distance(expected: Float32Array, found: Float32Array): number {
  expect(found.length).toBe(expected.length);
  const squares = (values: Float32Array) => values.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(squares(expected.map((value, i) => value - found[i]!)) / squares(expected));
}
