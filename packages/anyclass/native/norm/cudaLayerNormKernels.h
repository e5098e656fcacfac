// The GPU's kernels of layer norm with the residual in front of it, as functions of plain pointers. They run on the current
// device. Nothing of ATen here, so that nvcc need not read it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// Where a map's pixels lie once it is cut into squares of side² pixels that follow each other: neighboring pixels in each,
// or, as a grid, pixels at equal distances over the whole map. A side of 0 leaves the pixels where they are.
struct SquareOrder {
  int height, width, side;
  bool grid;
};

struct TokenShape {
  ElementType stream;  // of the residual stream
  ElementType branch;  // of what is added to it and of the norm's output: the same, or a half type beside a float32 stream
  int64_t rows;
  int64_t rowsPerImage;
  int channels;  // a multiple of 8 up to kMostChannels
};

constexpr int kMostChannels = 768;

struct LayerNormInput {
  const void* stream;
  const void* branch;  // may be null
  const float* scale;  // of the branch, one for each image; null for 1
  const float* weight;
  const float* bias;
  float eps;
  SquareOrder branchOrder, outputOrder;
};

struct LayerNormStatistics {
  float* mean;
  float* inverseDeviation;
};

// sum = stream + scale · branch (not written without a branch), output = norm of the sum.
cudaError_t launchLayerNormForward(const TokenShape& shape, const LayerNormInput& input, void* sum, const LayerNormStatistics& statistics, void* output,
                                   cudaStream_t stream);

struct LayerNormGradients {
  const void* ofSum;  // may be null
  const void* ofOutput;
  void* stream;
  void* branch;  // may be null
  float* parameters;  // of the weights, then of the biases
  float* partials;  // as many floats as `layerNormScratch` says
};

size_t layerNormScratch(const TokenShape& shape);

// Two kernels: gradients of stream and branch with a part of the parameters' from each block, then the sums of these. The
// input's stream is the sum of forward.
cudaError_t launchLayerNormBackward(const TokenShape& shape, const LayerNormInput& input, const LayerNormStatistics& statistics, const LayerNormGradients& gradients,
                                    cudaStream_t stream);

}  // namespace anyclass
