// Runs that must not continue: what they report, and what they leave behind.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { noGrad } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import type { BestMetric } from '../events/bestMetric.js';
import { brokenWeights } from '../networks/brokenWeights.js';
import { createNetwork } from '../networks/createNetwork.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

test('a loss that is not finite stops the run with a diagnosis, and releases the lock', async () => {
  const wild: ConfigurationInput = {
    ...tinyRun,
    optimizer: { name: 'sgd', rate: 1e12 },
    clipNorm: null,
  };
  const failure = await trainRun(wild, { run: at('wild') }).catch((error: Error) => error.message);
  expect(failure).toMatch(/the loss is (NaN|Infinity|-Infinity|\d.*) in epoch 1, step \d/);
  expect(failure).toMatch(/largest logit .*, gradient norm/);
  expect(failure).toContain('names in the batch: train-0000');
  expect(existsSync(at('wild', 'lock'))).toBe(false);
}, 60_000);

test('if the last step of an epoch breaks the weights, the run stops before they are saved', async () => {
  const wild: ConfigurationInput = {
    ...tinyRun,
    batchSize: 64,
    optimizer: { name: 'sgd', rate: 1e30, momentum: 0 },
    schedule: { name: 'constant' },
    clipNorm: null,
  };
  await expect(trainRun(wild, { run: at('broken') })).rejects.toThrow(
    /logits on validation became NaN or infinite after epoch 1, step 1: the run stops/,
  );
  expect(readdirSync(at('broken', 'checkpoints'))).toEqual([]);
});

test('weights that are not finite are found by name', () => {
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  expect(brokenWeights(network)).toEqual([]);
  const [name, weight] = [...network.stateDict()].find(([each]) => each.endsWith('.weight'))!;
  noGrad(() => weight.narrow(0, 0, 1).fill_(Number.NaN));
  expect(brokenWeights(network)).toEqual([name]);
});

test('a run that fails to start leaves no folder behind', async () => {
  const wrong = { ...tinyRun, network: { ...tinyRun.network, weights: at('nothing.pth') } };
  await expect(trainRun(wrong, { run: at('again') })).rejects.toThrow('nothing.pth');
  expect(existsSync(at('again'))).toBe(false);
});

const undefinedMetrics: [BestMetric, Partial<ConfigurationInput['data']>, string][] = [
  ['f2Ciw', {}, 'bestBy f2Ciw needs class weights'],
  [
    'mAP',
    { keep: ['9'], digits: { scenes: { train: 300, validation: 1, test: 1 } } },
    'no validation image of digits shows a class',
  ],
];

test.each(undefinedMetrics)(
  'bestBy %s is refused before training if it is never defined',
  async (bestBy, data, message) => {
    const wrong: ConfigurationInput = { ...tinyRun, bestBy, data: { dataset: 'digits', ...data } };
    await expect(trainRun(wrong, { run: at('undefined') })).rejects.toThrow(message);
  },
);
