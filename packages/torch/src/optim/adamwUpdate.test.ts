import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randn, setSeed, tensor, zeros } from '../index.js';
import { type AdamWState, updateOnCpu, updateOnDevice } from './adamwUpdate.js';
import type { Bucket } from './optimizer.js';

const options = { lr: 0.01, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.05, fused: false } as const;

test('rates and step counts in tensors give the same update as plain numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 4 }), (steps) => {
      const [onCpu, onDevice] = [bucketAt(steps), bucketAt(steps)];
      updateOnCpu(onCpu, options);
      updateOnDevice(onDevice, options, tensor(options.lr, { dtype: 'float64' }));
      onCpu.parameters.forEach((parameter, i) => {
        const difference = parameter.sub(onDevice.parameters[i]!).abs().amax().toNumber();
        expect(difference).toBeLessThan(1e-14);
      });
    }),
    { numRuns: 20 },
  );
});

function bucketAt(steps: readonly number[]): Bucket<AdamWState> {
  setSeed(steps.length);
  const draw = () => steps.map((_, i) => randn([i + 1, 3], { dtype: 'float64' }));
  const averages = draw();
  const squares = draw();
  return {
    device: 'cpu',
    dtype: 'float64',
    parameters: draw(),
    gradients: draw(),
    states: steps.map((step, i) => ({
      step: zeros([]).add_(step),
      expAvg: averages[i]!,
      expAvgSq: squares[i]!.square(),
    })),
    isFirstStep: false,
  };
}
