// The sums of a table's columns, in a fixed order: the second step of reductions whose first step writes one row per block.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace anyclass {

constexpr int kSumLines = 16;

static __global__ void __launch_bounds__(32 * kSumLines) columnSumKernel(const float* __restrict__ table, const int rows, const int columns, float* __restrict__ sums) {
  __shared__ float ofLines[kSumLines][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float total = 0;
  if (column < columns) {
    for (int row = threadIdx.y; row < rows; row += kSumLines) total += table[int64_t{row} * columns + column];
  }
  ofLines[threadIdx.y][threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.y > 0 || column >= columns) return;
  for (int line = 1; line < kSumLines; line++) total += ofLines[line][threadIdx.x];
  sums[column] = total;
}

inline void launchColumnSums(const float* table, int rows, int columns, float* sums, cudaStream_t stream) {
  columnSumKernel<<<(columns + 31) / 32, dim3(32, kSumLines), 0, stream>>>(table, rows, columns, sums);
}

inline int multiprocessors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

}  // namespace anyclass
