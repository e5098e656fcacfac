import { describe, expect, test } from 'vitest';
import {
  captureStep,
  type Device,
  hasCuda,
  keep,
  nn,
  optim,
  randn,
  setSeed,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from '../index.js';

const cudaIt = hasCuda() ? '' : ' (skipped: no CUDA device)';

/** Losses over `steps` steps of a small network, with SGD with momentum or AdamW and a learning rate that changes. */
function losses(
  optimizerName: 'sgd' | 'adamw',
  captured: boolean,
  steps: number,
  { device = 'cuda', dropout = 0 }: { device?: Device; dropout?: number } = {},
): number[] {
  setSeed(5);
  const network = new nn.Sequential(
    new nn.Linear(20, 32),
    new nn.GELU(),
    new nn.Dropout(dropout),
    new nn.Linear(32, 3),
  ).to(device);
  const parameters = network.parameters();
  const optimizer =
    optimizerName === 'sgd'
      ? new optim.SGD(parameters, { lr: 0.1, momentum: 0.9, weightDecay: 1e-4 })
      : new optim.AdamW(parameters, { lr: 0.01, weightDecay: 0.05 });
  const scheduler = new optim.Scheduler(optimizer, optim.multiStep({ milestones: [40, 70], gamma: 0.5 }));
  const body = (x: Tensor, y: Tensor) => {
    optimizer.zeroGrad();
    const loss = nn.functional.crossEntropy(network.forward(x), y);
    loss.backward();
    optim.clipGradNorm_(parameters, 1);
    optimizer.step();
    return [loss.detach()];
  };
  const step = captured ? captureStep((x, y) => body(x!, y!)) : body;
  return Array.from({ length: steps }, (_, i) => {
    const loss = tidy(() => {
      const x = tensor(
        Float32Array.from({ length: 320 }, (_, k) => Math.sin(k * (i + 1))),
        { shape: [16, 20], device },
      );
      const y = tensor(
        BigInt64Array.from({ length: 16 }, (_, k) => BigInt((k + i) % 3)),
        { device },
      );
      return step(x, y)[0]!.toNumber();
    });
    scheduler.step();
    return loss;
  });
}

test('without CUDA, or for tensors not on a GPU, a captured step simply calls the function', () => {
  expect(losses('sgd', true, 5, { device: 'cpu' })).toEqual(losses('sgd', false, 5, { device: 'cpu' }));
});

describe.skipIf(!hasCuda())(`on cuda${cudaIt}`, () => {
  test.each(['sgd', 'adamw'] as const)(
    'replays of a captured %s step match the eager losses for 100 steps',
    (name) => {
      const eager = losses(name, false, 100);
      const replayed = losses(name, true, 100);
      expect(new Set(eager).size).toBe(100);
      replayed.forEach((loss, i) => {
        expect(Math.abs(loss - eager[i]!)).toBeLessThan(1e-5 + 1e-4 * eager[i]!);
      });
    },
  );

  test('dropout draws new numbers at every replay', () => {
    const step = captureStep((x) => [new nn.Dropout(0.5).forward(x!)]);
    const x = keep(randn([1000], { device: 'cuda' }));
    const patterns = Array.from({ length: 6 }, () => tidy(() => step(x)[0]!.eq(0).toTypedArray().join('')));
    expect(new Set(patterns).size).toBe(6);
  });

  test('inputs of another shape are an error that names both', () => {
    const step = captureStep((x) => [x!.mul(2)], { warmUp: 1 });
    for (let i = 0; i < 3; i++) tidy(() => void step(zeros([2, 3], { device: 'cuda' })));
    expect(() => step(zeros([4, 3], { device: 'cuda' }))).toThrow(
      'captured with inputs float32[2, 3], not float32[4, 3]',
    );
  });

  test('a step that reads a value back cannot be captured, and the engine still works', () => {
    const step = captureStep((x) => [x!.mul(x!.sum().toNumber())], { warmUp: 0 });
    expect(() => step(zeros([2], { device: 'cuda' }))).toThrow('the step cannot be captured');
    expect(zeros([2], { device: 'cuda' }).add(1).toArray()).toEqual([1, 1]);
    expect(randn([2], { device: 'cuda' }).toArray()).not.toEqual(randn([2], { device: 'cuda' }).toArray());
  });
});
