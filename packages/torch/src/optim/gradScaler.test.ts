import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import { onEachDevice } from '../../test/devices.js';
import { type Device, liveTensors, type Tensor, tensor, tidy } from '../index.js';
import { AdamW, GradScaler, type GradScalerState, SGD } from './index.js';

beforeAll(collectTensors);

interface Sequence {
  readonly growthInterval: number;
  readonly steps: readonly { overflows: boolean; scale: number; growthTracker: number }[];
}

const sequence: Sequence = JSON.parse(
  readFileSync(new URL('../../test/fixtures/optim/grad_scaler.json', import.meta.url), 'utf8'),
);

onEachDevice((device) => {
  test("the scale follows PyTorch's rules, and overflowing steps are skipped", () => {
    const { growthInterval, steps } = sequence;
    const parameter = tensor([1, 2], { device });
    const optimizer = new SGD([parameter], { lr: 0.25 });
    const scaler = new GradScaler({ growthInterval });
    let taken = 0;
    for (const { overflows, scale, growthTracker } of steps) {
      const current = scaler.scale(tensor(1, { device })).toNumber();
      parameter.grad = tensor([overflows ? Number.POSITIVE_INFINITY : current, current], { device });
      scaler.step(optimizer);
      scaler.update();
      if (!overflows) taken++;
      expect(scaler.stateDict()).toMatchObject({ scale, growthTracker });
      expect(parameter.toArray()).toEqual([1 - taken / 4, 2 - taken / 4]);
    }
  });

  test('a scaled loss gives the same step as the unscaled loss', () => {
    const [scaled, plain] = [1, 2].map(() => tensor([1, -2, 3], { device, requiresGrad: true }));
    const optimizers = [scaled!, plain!].map((parameter) => new AdamW([parameter], { lr: 0.1 }));
    const scaler = new GradScaler();
    for (let step = 0; step < 3; step++) {
      for (const optimizer of optimizers) optimizer.zeroGrad();
      scaler.scale(squares(scaled!)).backward();
      squares(plain!).backward();
      scaler.step(optimizers[0]!);
      scaler.update();
      optimizers[1]!.step();
    }
    // The scale is a power of two: multiplying and dividing by it is exact.
    expect(scaled!.toArray()).toEqual(plain!.toArray());
  });

  test.each([
    ['infinite', Number.NEGATIVE_INFINITY],
    ['not a number', Number.NaN],
  ])('one gradient that is %s makes all parameters skip the step', (_, bad) => {
    const parameters = [tensor([1, 2], { device }), tensor([3], { device, dtype: 'float64' })];
    const optimizer = new AdamW(parameters, { lr: 0.1 });
    const scaler = startedScaler(device);
    parameters[0]!.grad = tensor([1, bad], { device });
    parameters[1]!.grad = tensor([1], { device, dtype: 'float64' });
    scaler.step(optimizer);
    scaler.update();
    expect(parameters.map((parameter) => parameter.toArray())).toEqual([[1, 2], [3]]);
    expect(scaler.stateDict().scale).toBe(32768);
  });

  test('gradients can be seen unscaled before the step', () => {
    const parameter = tensor([0], { device });
    const optimizer = new SGD([parameter], { lr: 1 });
    const scaler = startedScaler(device);
    parameter.grad = tensor([65536 * 3], { device });
    scaler.unscale_(optimizer);
    expect(parameter.grad.toArray()).toEqual([3]);
    expect(() => scaler.unscale_(optimizer)).toThrow('called before on this optimizer');
    scaler.step(optimizer);
    expect(parameter.toArray()).toEqual([-3]);
    expect(() => scaler.step(optimizer)).toThrow('called before on this optimizer');
  });

  test('a scaler resumes from a saved state', () => {
    const saved: GradScalerState = {
      scale: 8,
      growthFactor: 4,
      backoffFactor: 0.25,
      growthInterval: 2,
      growthTracker: 1,
    };
    for (const scaler of [new GradScaler(), startedScaler(device)]) {
      scaler.loadStateDict(saved);
      expect(scaler.stateDict()).toEqual(saved);
      const parameter = tensor([0], { device });
      expect(scaler.scale(tensor(1, { device })).toNumber()).toBe(8);
      parameter.grad = tensor([1], { device });
      scaler.step(new SGD([parameter], { lr: 1 }));
      scaler.update();
      expect(scaler.stateDict()).toEqual({ ...saved, scale: 32, growthTracker: 0 });
    }
  });

  test('the scale does not grow past float32', () => {
    const scaler = new GradScaler({ initScale: 2 ** 127, growthInterval: 1 });
    scaler.scale(tensor(0, { device }));
    const parameter = tensor([0], { device });
    parameter.grad = tensor([0], { device });
    scaler.step(new SGD([parameter], { lr: 1 }));
    scaler.update();
    expect(scaler.stateDict().scale).toBe(2 ** 127);
  });

  test('steps leave no tensors behind', () => {
    const parameter = tensor([0], { device });
    const optimizer = new SGD([parameter], { lr: 1 });
    const scaler = startedScaler(device);
    const step = () =>
      tidy(() => {
        parameter.grad = tensor([1], { device });
        scaler.step(optimizer);
        scaler.update();
      });
    step();
    const before = liveTensors();
    for (let i = 0; i < 5; i++) step();
    expect(liveTensors()).toBe(before);
  });
});

test('a disabled scaler passes losses and steps through', () => {
  const parameter = tensor([1]);
  const loss = tensor(5);
  const scaler = new GradScaler({ enabled: false });
  const optimizer = new SGD([parameter], { lr: 1 });
  expect(scaler.scale(loss)).toBe(loss);
  parameter.grad = tensor([2]);
  scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.update();
  expect(parameter.toArray()).toEqual([-1]);
});

test('calls out of order and float16 gradients are refused with what to do', () => {
  const optimizer = new SGD([tensor([1])], { lr: 1 });
  expect(() => new GradScaler().step(optimizer)).toThrow('call scale(loss) first');
  expect(() => startedScaler('cpu').update()).toThrow('no step was taken');
  const half = tensor([1], { dtype: 'float16' });
  half.grad = tensor([1], { dtype: 'float16' });
  expect(() => startedScaler('cpu').step(new SGD([half], { lr: 1 }))).toThrow(
    'keep the parameters in float32',
  );
  expect(() => new GradScaler({ growthFactor: 1 })).toThrow('growthFactor must be above 1');
});

function startedScaler(device: Device): GradScaler {
  const scaler = new GradScaler();
  scaler.scale(tensor(1, { device }));
  return scaler;
}

function squares(parameter: Tensor): Tensor {
  return parameter.mul(parameter).sum();
}
