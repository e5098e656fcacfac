// GPU-specific functions.

export * from './captureStep.js';
export {
  type CudaMemory,
  type CudaStatus,
  cudaDeviceName,
  cudaMemory,
  cudaStatus,
  cudaSynchronize,
  emptyCudaCache,
  hasCuda,
  resetPeakCudaMemory,
  setCudnnBenchmark,
  setTf32,
} from './device.js';
export * from './stream.js';
