// Training on data in which most rows have an unknown label for one class: they are undecided, and train the
// other classes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noGrad, optim, setSeed, setThreadCount, tidy } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { FlatNetwork } from '../../test/flatNetwork.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { deviceBatch } from '../data/batches/deviceBatch.js';
import { createLoader } from '../data/batches/loader.js';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { randomStream } from '../data/random/philox.js';
import { balanceOf, openRunData } from './dataForRun.js';
import { createTrainingStep } from './trainingStep.js';

// A case of 1,350 positives and 5,000 rows in which only one class is unknown, at 1/25 of its size.
const positives = 54;
const undecided = 200;
const side = 8;

const folder = testFolder();

const data = { dataset: join(folder, 'labels.csv'), channels: 1, mean: [0], std: [0.5] } as const;

function opened(
  changes: Partial<ConfigurationInput['data']> = {},
  bestBy: ConfigurationInput['bestBy'] = 'mAP',
) {
  const network = { name: 'tresnet-s', inputSize: side } as const;
  return openRunData(validateConfiguration({ data: { ...data, ...changes }, network, bestBy }));
}

/** Every positive shows a crack, and half of them roots too; in the undecided rows, roots are unknown. */
beforeAll(async () => {
  mkdirSync(join(folder, 'images'));
  const draw = randomStream('sample', 1, 0, 0);
  const lines: string[] = [];
  const add = async (split: string, hasCrack: boolean, roots: string) => {
    const name = `${lines.length}.png`;
    lines.push(`${name},${split},${Number(hasCrack)},${roots}`);
    await writeImage(name, hasCrack, roots === '1', draw.below);
  };
  for (let i = 0; i < positives; i++) await add('train', true, String(i % 2));
  for (let i = 0; i < undecided; i++) await add('train', false, '');
  for (let i = 0; i < 20; i++) await add('validation', true, String(i % 2));
  for (let i = 0; i < 40; i++) await add('validation', false, '0');
  writeFileSync(join(folder, 'labels.csv'), ['Filename,split,crack,roots', ...lines, ''].join('\n'));
}, 60_000);

/** Noise, with a bright bar across for a crack and a bright block for roots. */
async function writeImage(
  name: string,
  hasCrack: boolean,
  hasRoots: boolean,
  below: (limit: number) => number,
): Promise<void> {
  const pixels = Uint8Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [i % side, Math.floor(i / side)];
    const isBright = (hasCrack && y === 2) || (hasRoots && x > 4 && y > 4);
    return (isBright ? 180 : 20) + below(40);
  });
  const image = sharp(pixels, { raw: { width: side, height: side, channels: 1 } });
  await image.png().toFile(join(folder, 'images', name));
}

test('undecided rows count neither as a class nor as negative, and the negative weight is 1 without negatives', async () => {
  const { dataset, trainingRows, remarks, close } = await opened();
  await close();
  expect(trainingRows.length).toBe(positives + undecided);
  // Near β = 1, weights are proportional to 1 / count (54 cracks and 27 roots), with a mean of 1.
  const { classWeights, negativeWeight } = balanceOf(dataset, trainingRows, 1 - 1e-12);
  expect(classWeights[0]).toBeCloseTo(2 / 3, 6);
  expect(classWeights[1]).toBeCloseTo(4 / 3, 6);
  expect(negativeWeight).toBe(1);
  expect(remarks).toContainEqual(
    expect.stringMatching(/^warning: no training image is negative: 54 .* 200 undecided, .*roots/),
  );
});

test('a training set of only positives gets a remark with its count; one with negatives does not', async () => {
  const only = await opened({ keep: ['crack'], subset: { negativesPerPositive: 0 } });
  await only.close();
  expect(only.remarks).toContainEqual(expect.stringContaining('all 54 training images are positive'));
  const mixed = await opened({ keep: ['crack'] });
  await mixed.close();
  expect(mixed.remarks.filter((remark) => remark.includes('training image'))).toEqual([]);
});

test('F1-Neg cannot choose an epoch if every validation row that shows no class is undecided', async () => {
  await (await opened({}, 'f1Neg')).close();
  const rows = ['1.png,train,1,0', '54.png,validation,0,', '0.png,validation,1,0'];
  const path = join(folder, 'undecided.csv');
  writeFileSync(path, ['Filename,split,crack,roots', ...rows, ''].join('\n'));
  await expect(opened({ dataset: path }, 'f1Neg')).rejects.toThrow(
    /f1Neg: no validation image .* is negative/,
  );
});

test('every undecided row trains the classes whose labels are known', async () => {
  const { dataset, inputs, trainingRows, preparation, close } = await opened();
  setThreadCount(1); // tests share the cores
  setSeed(1);
  const network = new FlatNetwork(2, side);
  const balance = balanceOf(dataset, trainingRows, 0.9999);
  const step = createTrainingStep({
    network,
    optimizer: new optim.SGD(network.parameters(), { lr: 0.3 }),
    scaler: new optim.GradScaler({ enabled: false }),
    loss: { base: 'bce', lambda: 0.02, balance },
    settings: { device: 'cpu', precision: 'float32' },
    batchSize: 16,
    accumulation: 1,
    clipNorm: null,
  });
  const { mean, std } = preparation;
  const { format } = inputs;
  if (isFeatureFormat(format)) throw new Error('images are expected');
  const normalized = { format, device: 'cpu', mean, std } as const;
  const seen = new Set<number>();
  const loader = createLoader(dataset, inputs, { rows: trainingRows, batchSize: 16, shuffle: true });
  for (const epoch of [0, 1, 2]) {
    for await (using batch of loader.epoch(epoch)) {
      for (const row of batch.indices) seen.add(row);
      tidy(() => {
        const { inputs: images, targets } = deviceBatch(batch, normalized);
        step(images, targets);
      });
    }
  }
  expect(seen.size).toBe(positives + undecided);
  // Only undecided rows show what an image without a crack looks like.
  const validation = createLoader(dataset, inputs, { rows: dataset.splits.validation, batchSize: 60 });
  for await (using batch of validation.epoch(0)) {
    const logits = tidy(() =>
      noGrad(() => network.forward(deviceBatch(batch, normalized).inputs).toFloat32Array()),
    );
    const cracks = Array.from(batch.indices, (_, i) => ({
      logit: logits[2 * i]!,
      isPresent: batch.targets[2 * i] === 1,
    }));
    expect(cracks.filter(({ isPresent }) => isPresent)).toHaveLength(20);
    for (const { logit, isPresent } of cracks) expect(logit > 0).toBe(isPresent);
  }
  await close();
}, 30_000);
