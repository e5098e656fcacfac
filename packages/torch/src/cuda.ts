// GPUs: whether there are any, and why not.

import { native } from './native.js';

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
