// Loss scaling for float16. Micikevicius et al., "Mixed Precision Training", arXiv 1710.03740; the scale follows
// PyTorch's rules: halved at an overflow, doubled after 2000 steps without one.

import { noGrad } from '../autograd/autograd.js';
import type { Device } from '../native/dtype.js';
import { full, zeros } from '../operators/creation.js';
import { keep, tidy } from '../tensor/memory.js';
import {
  ampForeachUnscale_,
  ampUpdateScale_,
  foreachMulScalar_,
  foreachNorm,
  stack,
} from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { gradientsByKind } from './gradients.js';
import type { StepOptions } from './optimizer.js';

export interface GradScalerOptions {
  readonly initScale?: number;
  /** Multiplies the scale after `growthInterval` steps in a row without an overflow. */
  readonly growthFactor?: number;
  /** Multiplies the scale after an overflow. */
  readonly backoffFactor?: number;
  readonly growthInterval?: number;
  /** If false, losses pass through unchanged and every step is taken; for bfloat16 and float32. */
  readonly enabled?: boolean;
}

/** A scaler's state, plain JSON. */
export interface GradScalerState {
  readonly scale: number;
  readonly growthFactor: number;
  readonly backoffFactor: number;
  readonly growthInterval: number;
  /** Steps in a row without an overflow. */
  readonly growthTracker: number;
}

/** What a scaler needs from an optimizer. */
export interface ScaledOptimizer {
  readonly parameters: readonly Tensor[];
  step(options?: StepOptions): void;
}

interface Progress {
  readonly foundInf: Tensor;
  stepped: boolean;
}

/**
 * Scales a loss up so that small float16 gradients do not vanish, scales the gradients back down, and skips steps in
 * which a gradient overflowed.
 *
 * With a fused optimizer on a GPU nothing is read back, so a CUDA graph can capture the whole step.
 *
 * @example
 * const scaler = new GradScaler();
 * scaler.scale(loss).backward();
 * scaler.unscale_(optimizer); // only needed if the gradients are used before the step
 * clipGradNorm_(parameters, 1);
 * scaler.step(optimizer);
 * scaler.update();
 */
export class GradScaler {
  readonly enabled: boolean;
  #settings: GradScalerState;
  #onDevice: { readonly scale: Tensor; readonly growthTracker: Tensor } | undefined;
  readonly #progress = new Map<ScaledOptimizer, Progress>();

  constructor(options: GradScalerOptions = {}) {
    const { initScale = 65536, growthFactor = 2, backoffFactor = 0.5, growthInterval = 2000 } = options;
    this.enabled = options.enabled ?? true;
    this.#settings = checked({
      scale: initScale,
      growthFactor,
      backoffFactor,
      growthInterval,
      growthTracker: 0,
    });
  }

  /** Returns the loss, or any output, times the scale. */
  scale(output: Tensor): Tensor {
    return this.enabled ? output.mul(this.#tensors(output.device).scale.to(output.device)) : output;
  }

  /** Divides an optimizer's gradients by the scale and records whether any is infinite or NaN. */
  unscale_(optimizer: ScaledOptimizer): void {
    if (!this.enabled) return;
    const { scale } = this.#scaled('unscale_');
    if (this.#progress.has(optimizer)) {
      throw new Error('GradScaler.unscale_: called before on this optimizer since the last update()');
    }
    const foundInf = tidy(() =>
      noGrad(() => {
        const found = zeros([], { device: scale.device });
        const inverse = scale.to('float64').reciprocal().to('float32');
        for (const gradients of gradientsByKind(optimizer.parameters, 'unscale_')) {
          unscale(gradients, inverse, found);
        }
        return found;
      }),
    );
    this.#progress.set(optimizer, { foundInf: keep(foundInf), stepped: false });
  }

  /** Unscales the gradients, unless already done, and takes the optimizer's step if all are finite. */
  step(optimizer: ScaledOptimizer): void {
    if (!this.enabled) {
      optimizer.step();
      return;
    }
    if (!this.#progress.has(optimizer)) this.unscale_(optimizer);
    const progress = this.#progress.get(optimizer);
    if (!progress || progress.stepped) {
      throw new Error('GradScaler.step: called before on this optimizer since the last update()');
    }
    optimizer.step({ foundInf: progress.foundInf });
    progress.stepped = true;
  }

  /** Adapts the scale, once all optimizers have taken their steps. */
  update(): void {
    if (!this.enabled) return;
    const tensors = this.#scaled('update');
    const foundInfs = [...this.#progress.values()].map(({ foundInf }) => foundInf);
    if (foundInfs.length === 0)
      throw new Error('GradScaler.update: no step was taken since the last update()');
    tidy(() => noGrad(() => adapt(tensors, stack(foundInfs).amax(), this.#settings)));
    for (const foundInf of foundInfs) foundInf.dispose();
    this.#progress.clear();
  }

  /** Returns the state as plain data; waits for the GPU. Call it after `update`. */
  stateDict(): GradScalerState {
    if (!this.#onDevice) return this.#settings;
    const { scale, growthTracker } = this.#onDevice;
    return { ...this.#settings, scale: scale.toNumber(), growthTracker: growthTracker.toNumber() };
  }

  loadStateDict(saved: GradScalerState): void {
    this.#settings = checked(saved);
    this.#onDevice?.scale.fill_(saved.scale);
    this.#onDevice?.growthTracker.fill_(saved.growthTracker);
  }

  #tensors(device: Device) {
    const { scale, growthTracker } = this.#settings;
    this.#onDevice ??= {
      scale: keep(full([], scale, { device })),
      growthTracker: keep(full([], growthTracker, { device, dtype: 'int32' })),
    };
    return this.#onDevice;
  }

  #scaled(caller: string) {
    if (!this.#onDevice)
      throw new Error(`GradScaler.${caller}: no loss was scaled yet; call scale(loss) first`);
    return this.#onDevice;
  }
}

/** Multiplies gradients on one device and of one dtype by 1/scale, and sets `foundInf` to 1 if any was not finite. */
function unscale(gradients: readonly Tensor[], inverse: Tensor, foundInf: Tensor): void {
  const { device, dtype } = gradients[0]!;
  if (dtype === 'float16') {
    throw new TypeError(
      'GradScaler: float16 gradients would underflow again when unscaled; keep the parameters in float32 and use autocast',
    );
  }
  if (device === 'cpu') {
    // libtorch 1.13 has no CPU kernel. The largest magnitude is finite only if all elements are.
    const finite = stack(foreachNorm(gradients, Number.POSITIVE_INFINITY)).isfinite().all();
    if (!finite.item()) foundInf.fill_(1);
    foreachMulScalar_(gradients, inverse.toNumber());
  } else {
    const local = foundInf.to(device);
    ampForeachUnscale_(gradients, local, inverse.to(device));
    foundInf.copy_(local);
  }
}

function adapt(
  { scale, growthTracker }: { readonly scale: Tensor; readonly growthTracker: Tensor },
  foundInf: Tensor,
  { growthFactor, backoffFactor, growthInterval }: GradScalerState,
): void {
  if (scale.device !== 'cpu') {
    ampUpdateScale_(scale, growthTracker, foundInf, growthFactor, backoffFactor, growthInterval);
    return;
  }
  const overflowed = foundInf.toNumber() !== 0;
  const steps = overflowed ? 0 : growthTracker.toNumber() + 1;
  const grows = steps === growthInterval;
  const next = Math.fround(scale.toNumber() * (overflowed ? backoffFactor : grows ? growthFactor : 1));
  growthTracker.fill_(grows ? 0 : steps);
  if (Number.isFinite(next)) scale.fill_(next);
}

function checked(state: GradScalerState): GradScalerState {
  const { scale, growthFactor, backoffFactor, growthInterval, growthTracker } = state;
  const demand = (holds: boolean, rule: string) => {
    if (!holds) throw new RangeError(`GradScaler: ${rule}: ${JSON.stringify(state)}`);
  };
  demand(scale > 0 && Number.isFinite(scale), 'the scale must be above 0 and finite');
  demand(growthFactor > 1, 'growthFactor must be above 1');
  demand(backoffFactor > 0 && backoffFactor < 1, 'backoffFactor must be between 0 and 1');
  demand(Number.isInteger(growthInterval) && growthInterval > 0, 'growthInterval must be an integer above 0');
  demand(
    Number.isInteger(growthTracker) && growthTracker >= 0,
    'growthTracker must be an integer, 0 or more',
  );
  return { scale, growthFactor, backoffFactor, growthInterval, growthTracker };
}
