// The library as a whole: version, threads, random numbers, and operators registered by other libraries.

import type { Device } from '../native/dtype.js';
import { native } from '../native/native.js';
import { place } from '../tensor/handle.js';
import { Tensor } from '../tensor/tensor.js';

/** Seeds the random generators of the CPU and every GPU. */
export function setSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`setSeed: expected a non-negative integer, not ${seed}`);
  native.setSeed(seed);
}

/**
 * Returns the full state of a device's random generator, to resume from later.
 *
 * @example
 * const state = generatorState();
 * const first = rand([3]);
 * setGeneratorState(state);
 * rand([3]).equal(first) // true
 */
export function generatorState(device: Device = 'cpu'): Tensor {
  return new Tensor(native.generatorState(device));
}

export function setGeneratorState(state: Tensor, device: Device = 'cpu'): void {
  native.setGeneratorState(device, place(state, 'setGeneratorState'));
}

export function threadCount(): number {
  return native.threads();
}

/** Sets how many threads an operator may use. CPU results can differ in the last bits between thread counts. */
export function setThreadCount(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > 1024) {
    throw new RangeError(`setThreadCount: expected an integer from 1 to 1024, not ${count}`);
  }
  native.setThreads(count);
}

/**
 * Keeps up to 1 GiB of freed CPU memory in this process from now on, instead of returning it to the kernel. Helps a
 * process that allocates the same amounts again and again, such as training. Has no effect if the C library is not glibc.
 */
export function keepFreedMemory(): void {
  native.keepFreedMemory();
}

/** Uses only algorithms that give the same bits every time; an operator without one throws. */
export function setDeterministic(on: boolean): void {
  // cuBLAS is deterministic only with fixed-size workspaces, and reads this setting when a GPU is first used.
  if (on) process.env['CUBLAS_WORKSPACE_CONFIG'] ??= ':4096:8';
  native.setDeterministic(on);
}

/**
 * Whether `setDeterministic` is on.
 *
 * @example
 * isDeterministic() // false
 */
export function isDeterministic(): boolean {
  return native.deterministic();
}

/** Loads a shared library that registers operators with libtorch (`TORCH_LIBRARY`). */
export function loadLibrary(path: string): void {
  native.loadLibrary(path);
}

export interface EngineInfo {
  readonly version: string;
  readonly threads: number;
  /** The shared library that multiplies matrices on the CPU; '' if it is part of libtorch. */
  readonly blas: string;
  /** The processor whose kernels it uses if it is OpenBLAS, such as 'SkylakeX'; '' if it is not. */
  readonly blasKernels: string;
  /** libtorch's own description of its build. */
  readonly buildConfiguration: string;
}

export function engineInfo(): EngineInfo {
  return {
    version: native.version(),
    threads: native.threads(),
    blas: native.blasLibrary(),
    blasKernels: native.blasKernels(),
    buildConfiguration: native.buildConfiguration(),
  };
}
