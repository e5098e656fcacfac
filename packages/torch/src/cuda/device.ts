// GPUs: whether there are any and why not, their memory, and the switches of their libraries.

import { native } from '../native.js';

export interface CudaStatus {
  /** `cuda:0` and so on. */
  readonly devices: readonly string[];
  /** Why there is none; null where there is one. */
  readonly unavailable: string | null;
}

/**
 * The GPUs that tensors can live on.
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

/** The name that the driver gives a GPU. */
export function cudaDeviceName(device = 0): string {
  requireCuda();
  return native.cudaDeviceName(device);
}

/** Waits until the GPU has done all that it was told. */
export function cudaSynchronize(device = 0): void {
  requireCuda();
  native.cudaSynchronize(device);
}

export interface CudaMemory {
  /** Bytes in tensors now, and at most since the last reset. */
  readonly allocated: number;
  readonly peakAllocated: number;
  /** Bytes taken from the GPU, tensors and spare, now and at most. */
  readonly reserved: number;
  readonly peakReserved: number;
}

export function cudaMemory(device = 0): CudaMemory {
  requireCuda();
  const [allocated = 0, peakAllocated = 0, reserved = 0, peakReserved = 0] = native.cudaMemory(device);
  return { allocated, peakAllocated, reserved, peakReserved };
}

/** Lets the peaks start over from what is in use. */
export function resetPeakCudaMemory(device = 0): void {
  requireCuda();
  native.cudaResetPeak(device);
}

/** Gives spare memory back to the GPU, for other processes. */
export function emptyCudaCache(): void {
  requireCuda();
  native.cudaEmptyCache();
}

/** Times each convolution's algorithms once per shape and keeps the fastest; pays where shapes stay the same. */
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
