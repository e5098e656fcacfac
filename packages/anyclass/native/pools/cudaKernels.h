// The GPU kernels of the pools that halve height and width as functions on plain pointers. They run on the current device. This header includes nothing of
// ATen, so that nvcc does not have to parse it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// The shape of maps in channels-last memory. Channels are a multiple of 8; only the first `known` have a filter, the others are zeros.
struct PoolShape {
  ElementType type;
  int images;
  int height, width;  // of the input; at least 2 to blur
  int channels, known;

  __host__ __device__ int outputHeight() const { return (height - 1) / 2 + 1; }
  __host__ __device__ int outputWidth() const { return (width - 1) / 2 + 1; }
};

// The blur pool: a 3x3 filter per channel with stride 2 and reflected edges. Filters are [9, known], with the taps row by row.
cudaError_t launchBlur(const PoolShape& shape, const void* input, const float* filters, void* output, cudaStream_t stream);

cudaError_t launchBlurGradient(const PoolShape& shape, const void* outputGradient, const float* filters, void* inputGradient, cudaStream_t stream);

// The mean of each square of 2x2 pixels; at the edges of an odd size, of those that are there. With side 3, of 3x3 pixels with a border of zeros.
cudaError_t launchMeanPool(const PoolShape& shape, int side, const void* input, void* output, cudaStream_t stream);

cudaError_t launchMeanPoolGradient(const PoolShape& shape, int side, const void* outputGradient, void* inputGradient, cudaStream_t stream);

}  // namespace anyclass
