// The GPU kernels of layer norm with the residual before it, as functions on plain pointers. They run on the current device.
// This header includes nothing of ATen, so that nvcc does not have to parse it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// The order of a map's pixels after it is divided into squares of side² pixels, one square after another: each with
// neighboring pixels, or, as a grid, with pixels at equal distances over the whole map. Before that, the map is rolled up and to the left by
// `shift` pixels, fewer than it has. A side of 0 keeps the order.
struct SquareOrder {
  int height, width, side;
  bool grid;
  int shift;
};

struct TokenShape {
  ElementType stream;  // of the residual stream
  ElementType branch;  // of the branch and the norm's output: the same, or a half type with a float32 stream
  int64_t rows;
  int64_t rowsPerImage;
  int channels;  // a multiple of 8 up to kMostChannels
};

constexpr int kMostChannels = 768;

struct LayerNormInput {
  const void* stream;
  const void* branch;  // may be null
  const float* scale;  // of the branch, one for each image; null for 1
  const float* shift;  // added to the sum's channels before the norm, in forward only; may be null
  const float* weight;
  const float* bias;
  float eps;
  SquareOrder branchOrder, outputOrder;
};

struct LayerNormStatistics {
  float* mean;
  float* inverseDeviation;
};

// Computes sum = stream + scale · branch (not written without a branch) and output = norm of sum + shift.
cudaError_t launchLayerNormForward(const TokenShape& shape, const LayerNormInput& input, void* sum, const LayerNormStatistics& statistics, void* output,
                                   cudaStream_t stream);

struct LayerNormGradients {
  const void* ofSum;  // may be null
  const void* ofOutput;
  void* stream;
  void* branch;  // may be null
  float* parameters;  // of the weights, then of the biases
  float* partials;  // `layerNormScratch` floats
};

size_t layerNormScratch(const TokenShape& shape);

// Launches two kernels: the first computes the gradients of stream and branch and, per block, partial gradients of the
// parameters, which the second sums. `input.stream` is the sum that forward computed.
cudaError_t launchLayerNormBackward(const TokenShape& shape, const LayerNormInput& input, const LayerNormStatistics& statistics, const LayerNormGradients& gradients,
                                    cudaStream_t stream);

}  // namespace anyclass
