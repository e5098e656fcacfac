import { optim, randn, setSeed, tensor, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { FlatNetwork } from '../../test/flatNetwork.js';
import { averageWeights } from './averagedWeights.js';
import { isHealthy } from './divergence.js';
import { improvedMetrics, type Validation } from './progress.js';
import type { StepParts } from './stepParts.js';
import { createTrainingStep } from './trainingStep.js';

const targets = tensor([
  [1, 0, 1],
  [0, 0, 0],
  [0, Number.NaN, 1],
  [0, 0, 0],
  [1, 1, 1],
]);

function parts(changes: Partial<StepParts> = {}): StepParts {
  setSeed(3);
  const network = new FlatNetwork(3, 2);
  return {
    network,
    optimizer: new optim.SGD(network.parameters(), { lr: 0.5, momentum: 0.9 }),
    scaler: new optim.GradScaler({ enabled: false }),
    loss: { base: 'focal', lambda: 0.1, balance: { classWeights: [2, 0.5, 0.5], negativeWeight: 0.2 } },
    settings: { device: 'cpu', precision: 'float32' },
    batchSize: 5,
    accumulation: 1,
    clipNorm: 0.1,
    ...changes,
  };
}

test('a batch split into parts gives the loss, the gradient and the weights of the whole', () => {
  const [whole, cut] = [1, 3].map((accumulation) => {
    const step = parts({ accumulation });
    setSeed(4);
    const images = randn([5, 3, 2, 2]);
    const { loss, gradientNorm, largestLogit } = createTrainingStep(step)(images, targets);
    const weights = step.network.parameters().flatMap((parameter) => [...parameter.toFloat32Array()]);
    return [loss.toNumber(), gradientNorm.toNumber(), largestLogit.toNumber(), ...weights];
  });
  cut!.forEach((value, i) => {
    expect(value).toBeCloseTo(whole![i]!, 5);
  });
});

test('an image counts as much as its weight says, in a whole batch and in parts', () => {
  const inputs = randn([5, 3, 2, 2]);
  const weights = [2, 1, 0, 3, 1];
  // The same as repeating images, but for the denominator, which counts rows.
  const repeated = tensor(Int32Array.of(0, 0, 1, 3, 3, 3, 4));
  const loss = { base: 'bce', alpha: 1, reduction: 'mean' } as const;
  const lossOf = (changes: Partial<StepParts>, images = inputs, labels = targets, given?: number[]) => {
    const step = parts({ loss, clipNorm: null, ...changes });
    const outcome = createTrainingStep(step)(images, labels, given && tensor(Float32Array.from(given)));
    return [outcome.loss.toNumber(), outcome.gradientNorm.toNumber()];
  };
  const once = lossOf({}, inputs.indexSelect(0, repeated), targets.indexSelect(0, repeated));
  for (const accumulation of [1, 2]) {
    lossOf({ accumulation }, inputs, targets, weights).forEach((value, i) => {
      expect(value * 5).toBeCloseTo(once[i]! * 7, 4);
    });
  }
  expect(() => lossOf({}, inputs, targets, [1])).toThrow(/weights is float32\[1\]; expected .*\[5\]/);
});

test('gradients are clipped to the requested norm', () => {
  const step = parts({ clipNorm: 1e-3 });
  const before = step.network.parameters().flatMap((parameter) => [...parameter.toFloat32Array()]);
  const { gradientNorm } = createTrainingStep(step)(randn([5, 3, 2, 2]), targets);
  const after = step.network.parameters().flatMap((parameter) => [...parameter.toFloat32Array()]);
  expect(gradientNorm.toNumber()).toBeGreaterThan(1e-3);
  expect(Math.hypot(...after.map((value, i) => value - before[i]!))).toBeCloseTo(0.5 * 1e-3, 6);
});

test('each step moves the average toward the weights by 1 - decay', () => {
  const network = new FlatNetwork(3, 2);
  const averaged = averageOfTiny(network);
  tidy(() => network.fc.weight.detach().fill_(1));
  averaged.network.stateDict().get('fc.weight')!.fill_(0);
  averaged.update();
  averaged.update();
  expect(averaged.network.stateDict().get('fc.weight')!.at(0, 0).toNumber()).toBeCloseTo(0.19, 6);
});

test('an infinite gradient is unhealthy, except in float16, where the scaler skips the step', () => {
  const metrics = { loss: 1, largestLogit: 3, gradientNorm: Number.POSITIVE_INFINITY };
  expect(isHealthy(metrics, false)).toBe(false);
  expect(isHealthy(metrics, true)).toBe(true);
  expect(isHealthy({ ...metrics, loss: Number.NaN }, true)).toBe(false);
});

test('an epoch is better with a higher metric or a lower loss', () => {
  const validation = { metrics: { mAP: 0.5, macroF1: 0.2, f2Ciw: null }, loss: 0.9, bce: 0.3 };
  const best = {
    mAP: { epoch: 1, value: 0.4, file: '' },
    macroF1: { epoch: 1, value: 0.2, file: '' },
    loss: { epoch: 1, value: 1, file: '' },
  };
  expect(improvedMetrics(partial(validation), best, ['mAP', 'macroF1', 'f2Ciw', 'loss', 'bce'])).toEqual([
    'mAP',
    'loss',
    'bce',
  ]);
});

/** A validation with only the metrics that matter here. */
function partial(validation: object): Validation {
  return JSON.parse(JSON.stringify(validation));
}

/** The average builds networks by name, but the test network borrows a name and needs its own builder. */
function averageOfTiny(network: FlatNetwork) {
  return averageWeights(network, 0.9, () => new FlatNetwork(3, 2));
}
