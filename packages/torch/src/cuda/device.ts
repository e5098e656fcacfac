// GPUs: which are available or why none is, their memory, and settings of the CUDA libraries.

import { native } from '../native/native.js';

export interface CudaStatus {
  /** `cuda:0` and so on. */
  readonly devices: readonly string[];
  /** Why no GPU is available; null if there is one. */
  readonly unavailable: string | null;
}

/**
 * Lists the GPUs that tensors can live on.
 *
 * @example
 * cudaStatus() // { devices: [], unavailable: 'libtorch 1.13.0 was built without CUDA' }
 */
export function cudaStatus(): CudaStatus {
  const count = native.cudaDevices();
  return {
    devices: Array.from({ length: count }, (_, i) => `cuda:${i}`),
    unavailable: count > 0 ? null : native.cudaUnavailable(),
  };
}

export function hasCuda(): boolean {
  return native.cudaDevices() > 0;
}

/** Returns the driver's name for a GPU. */
export function cudaDeviceName(device = 0): string {
  requireCuda();
  return native.cudaDeviceName(device);
}

/** Waits until the GPU has finished all queued work. */
export function cudaSynchronize(device = 0): void {
  requireCuda();
  native.cudaSynchronize(device);
}

export interface CudaMemory {
  /** Bytes in tensors: now, and the peak since the last reset. */
  readonly allocated: number;
  readonly peakAllocated: number;
  /** Bytes reserved on the GPU, in use or cached: now, and the peak since the last reset. */
  readonly reserved: number;
  readonly peakReserved: number;
}

export function cudaMemory(device = 0): CudaMemory {
  requireCuda();
  const [allocated = 0, peakAllocated = 0, reserved = 0, peakReserved = 0] = native.cudaMemory(device);
  return { allocated, peakAllocated, reserved, peakReserved };
}

/** Resets the peaks to current usage. */
export function resetPeakCudaMemory(device = 0): void {
  requireCuda();
  native.cudaResetPeak(device);
}

/** Returns cached memory to the GPU, for other processes. */
export function emptyCudaCache(): void {
  requireCuda();
  native.cudaEmptyCache();
}

/** Times each convolution's algorithms once per shape and keeps the fastest; pays off if shapes stay the same. */
export function setCudnnBenchmark(on: boolean): void {
  requireCuda();
  native.setCudnnBenchmark(on);
}

/** Lets float32 products and convolutions run on the tensor cores, with 10 bits of mantissa. */
export function setTf32(on: boolean): void {
  requireCuda();
  native.setTf32(on);
}

/** Throws an error that says why there is no GPU. */
export function requireCuda(): void {
  if (native.cudaDevices() === 0) throw new Error(`no CUDA device: ${native.cudaUnavailable()}`);
}
