// Chooses where a run computes, and in which precision.

import {
  autocast,
  cudaStatus,
  type Device,
  hasCuda,
  setCudnnBenchmark,
  setDeterministic,
  setTf32,
} from '@anyclass/torch';
import { UserError } from '../errors/userError.js';

export type Precision = 'float32' | 'bfloat16' | 'float16';

export interface ComputeSettings {
  readonly device: Device;
  readonly precision: Precision;
}

export interface ComputeWishes {
  readonly device: string;
  readonly precision: Precision | 'auto';
  readonly deterministic?: boolean;
  /** Benchmark algorithms for each convolution; default true. */
  readonly cudnnBenchmark?: boolean;
}

/**
 * Returns the device and precision that a configuration asks for, and sets up the GPU libraries for them.
 *
 * @example
 * chooseCompute({ device: 'auto', precision: 'auto' }) // { device: 'cpu', precision: 'float32' } without a GPU
 */
export function chooseCompute(wishes: ComputeWishes): ComputeSettings {
  const { device, precision, deterministic = false, cudnnBenchmark = true } = wishes;
  const chosen = device === 'auto' ? (hasCuda() ? 'cuda' : 'cpu') : device;
  if (!/^(cpu|cuda(:\d+)?)$/.test(chosen))
    throw new UserError(`device ${chosen} does not exist; expected cpu, cuda, cuda:N or auto`);
  if (chosen !== 'cpu' && !hasCuda()) throw new UserError(`device ${chosen}: ${cudaStatus().unavailable}`);
  const { devices } = cudaStatus();
  if (chosen !== 'cpu' && chosen !== 'cuda' && !devices.includes(chosen))
    throw new UserError(`device ${chosen} does not exist; available: cpu, ${devices.join(', ')}`);
  if (precision === 'float16' && chosen === 'cpu') {
    throw new UserError('precision float16 needs a GPU; the CPU computes in float32 or bfloat16');
  }
  if (chosen !== 'cpu') {
    setCudnnBenchmark(cudnnBenchmark && !deterministic);
    setTf32(!deterministic);
  }
  setDeterministic(deterministic);
  return {
    device: chosen === 'cpu' ? 'cpu' : chosen === 'cuda' ? 'cuda' : `cuda:${Number(chosen.slice(5))}`,
    precision: precision !== 'auto' ? precision : chosen === 'cpu' ? 'float32' : 'bfloat16',
  };
}

/** Runs a function in a precision. */
export function inPrecision<T>({ device, precision }: ComputeSettings, fn: () => T): T {
  if (precision === 'float32') return fn();
  return autocast(fn, { device: device === 'cpu' ? 'cpu' : 'cuda', dtype: precision });
}
