// The library itself: version, threads, randomness, and operators registered elsewhere.

import type { Device } from './dtype.js';
import { native } from './native.js';
import { place, Tensor } from './tensor.js';

/** Seeds the random numbers of the CPU and of every GPU. */
export function setSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`setSeed: expected an integer from 0 on, not ${seed}`);
  native.setSeed(seed);
}

/**
 * The whole state of a device's random numbers, to resume from later.
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

/** How many threads an operator may use. Results on the CPU can differ in the last bits between counts. */
export function setThreadCount(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > 1024) {
    throw new RangeError(`setThreadCount: expected an integer from 1 to 1024, not ${count}`);
  }
  native.setThreads(count);
}

/**
 * From here on, up to 1 GiB of freed CPU memory stays with this process instead of going back to the kernel: for a process that
 * allocates the same again and again, such as a training. Without effect where the C library is not glibc.
 */
export function keepFreedMemory(): void {
  native.keepFreedMemory();
}

/** Uses only algorithms that give the same bits every time; an operator without one throws. */
export function setDeterministic(on: boolean): void {
  // cuBLAS is deterministic with workspaces of fixed size only, and reads which when a GPU is first used.
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
  /** The shared library that multiplies matrices on the CPU; '' where it is part of libtorch. */
  readonly blas: string;
  /** libtorch's own account of its build. */
  readonly buildConfiguration: string;
}

export function engineInfo(): EngineInfo {
  return {
    version: native.version(),
    threads: native.threads(),
    blas: native.blasLibrary(),
    buildConfiguration: native.buildConfiguration(),
  };
}
