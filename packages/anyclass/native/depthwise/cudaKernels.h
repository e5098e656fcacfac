// The GPU kernels of depthwise 3x3 convolution with padding 1 as functions on plain pointers. They run on the current
// device. This header includes nothing of ATen, so that nvcc does not have to parse it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// The shape of maps in channels-last memory.
struct DepthwiseShape {
  ElementType type;
  int images;
  int height, width;  // of the input
  int channels;  // a multiple of 4
  int stride;  // 1 or 2

  int outputHeight() const { return (height - 1) / stride + 1; }
  int outputWidth() const { return (width - 1) / stride + 1; }
};

// Weights are [9, channels], with the taps row by row. With biases, the output is GELU(convolution + bias).
cudaError_t launchDepthwise(const DepthwiseShape& shape, const void* input, const float* weight, const float* bias, void* output, cudaStream_t stream);

cudaError_t launchDepthwiseInputGradient(const DepthwiseShape& shape, const void* outputGradient, const float* weight, void* inputGradient, cudaStream_t stream);

// The number of floats of scratch memory that the weight gradient needs.
size_t depthwiseScratch(const DepthwiseShape& shape);

// The gradient is [9, channels] too.
cudaError_t launchDepthwiseWeightGradient(const DepthwiseShape& shape, const void* input, const void* outputGradient, float* partials, float* weightGradient,
                                          cudaStream_t stream);

}  // namespace anyclass
