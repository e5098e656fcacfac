import { expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { captureStep, type Device, type Tensor, tensor } from '../index.js';
import { AdamW, clipGradNorm_, GradScaler, type Optimizer, Scheduler, SGD } from './index.js';

type Stepper = Pick<Optimizer, 'groups' | 'parameters' | 'step' | 'zeroGrad'>;

const kinds: readonly [string, (all: Tensor[], fused: boolean) => Stepper][] = [
  ['SGD', (all, fused) => new SGD(all, { lr: 0.1, momentum: 0.9, weightDecay: 0.01, fused })],
  ['SGD with Nesterov', (all, fused) => new SGD(all, { lr: 0.1, momentum: 0.9, nesterov: true, fused })],
  ['SGD with dampening', (all, fused) => new SGD(all, { lr: 0.1, momentum: 0.9, dampening: 0.5, fused })],
  ['AdamW', (all, fused) => new AdamW(all, { lr: 0.1, weightDecay: 0.05, fused })],
];

onEachDevice((device) => {
  test.each(kinds)(
    '%s follows the schedule when captured in a graph, just as when not captured',
    (_, make) => {
      for (const fused of [true, false]) {
        const start = () => [weight(device)];
        expect(train(make(start(), fused), true)).toEqual(train(make(start(), fused), false));
      }
    },
  );

  test('fused and plain kernels take the same steps up to rounding', () => {
    for (const [, make] of kinds) {
      const fused = train(make([weight(device)], true), false);
      const plain = train(make([weight(device)], false), false);
      fused.forEach((element, i) => {
        expect(Math.abs(element - plain[i]!)).toBeLessThan(1e-5);
      });
    }
  });

  test('a scaled and clipped step can be captured, overflows included', () => {
    const run = (captured: boolean) => {
      const optimizer = new AdamW([weight(device)], { lr: 0.1 });
      return train(optimizer, captured, new GradScaler({ initScale: 2 ** 20, growthInterval: 2 }));
    };
    expect(run(true)).toEqual(run(false));
  });
});

function weight(device: Device): Tensor {
  return tensor([1, -2, 3, 0.5], { device, requiresGrad: true });
}

/** Twelve steps with a rate that changes before each; the eighth overflows if a scaler is enabled. */
function train(optimizer: Stepper, captured: boolean, scaler = new GradScaler({ enabled: false })): number[] {
  const [parameter] = optimizer.parameters;
  const once = (input: Tensor): readonly Tensor[] => {
    optimizer.zeroGrad();
    const loss = parameter!.mul(input).square().sum();
    scaler.scale(loss).backward();
    scaler.unscale_(optimizer);
    clipGradNorm_([parameter!], 1);
    scaler.step(optimizer);
    scaler.update();
    return [loss.detach()];
  };
  const step = captured ? captureStep(once) : once;
  const scheduler = new Scheduler(optimizer, (epoch, base) => base / (1 + epoch));
  for (let i = 0; i < 12; i++) {
    const overflow = scaler.enabled && i === 7 ? Number.POSITIVE_INFINITY : 1;
    step(tensor([1, 2, -1, overflow * (1 + i / 8)], { device: parameter!.device }));
    scheduler.step();
  }
  const scale = scaler.enabled ? [scaler.stateDict().scale] : [];
  return [...Array.from(parameter!.to('cpu').toTypedArray(), Number), ...scale];
}
