// The GPU kernels of activated batch norm as functions on plain pointers. They run on the current device. This header
// includes nothing of ATen, so that nvcc does not have to parse it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// The shape of an image batch in channels-last memory: a row of channels for each pixel. All maps of one norm share it. Only the
// first `known` channels have parameters; the others are zeros that pad the maps to widths that tensor cores like.
struct NormShape {
  ElementType type;
  int64_t rows;
  int64_t channels;
  int64_t known;
};

// `leaky` multiplies values that are not above zero by a slope: 0 for ReLU, 1 for the identity.
enum class NormActivation { leaky, gelu };

// y = activation(scale · (x - mean) / deviation + bias). The scale is |weight| + eps or the weight; 1 without weights.
struct NormParameters {
  const float* weight;
  const float* bias;
  float eps;
  NormActivation activation;
  float slope;
  bool absoluteWeight;
};

// Without statistics, the mean is 0 and the deviation 1.
struct NormStatistics {
  float* mean;
  float* inverseDeviation;
};

struct RunningStatistics {
  float* mean;
  float* variance;
  int64_t* batches;  // counted
  float momentum;  // the weight of the newest batch
};

// Memory through which blocks combine their reductions over rows.
struct NormScratch {
  float* partials;  // `normScratch` floats
  unsigned* finished;  // one counter per channel is enough; zero before the first use, and again after each use
};

size_t normScratch(const NormShape& shape);

// Computes the statistics, and updates the running ones.
cudaError_t launchNormStatistics(const NormShape& shape, float eps, const void* input, const NormStatistics& statistics, const RunningStatistics& running,
                                 const NormScratch& scratch, cudaStream_t stream);

// Computes the output, from statistics of this batch or of a larger one that it is part of; with a residual, ReLU(norm + residual), not after GELU.
// The output may be the input.
cudaError_t launchNormOutput(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, const void* residual,
                             void* output, cudaStream_t stream);

struct NormGradients {
  void* input;
  float* weight;
  float* bias;
};

// The output of ReLU(norm + residual), and where to write the gradient of the sum inside it, which is the residual's too.
struct RectifiedSum {
  const void* output;
  void* gradient;
};

// Computes the gradients of weight and bias. With a rectified sum, its gradient is computed first, and goes on as the norm's.
cudaError_t launchParameterGradients(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                     const void* outputGradient, const RectifiedSum* sum, const NormScratch& scratch, const NormGradients& gradients,
                                     cudaStream_t stream);

// Computes the input gradient, from the gradients of weight and bias over all rows that the statistics cover.
cudaError_t launchInputGradient(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                const void* outputGradient, const NormGradients& gradients, cudaStream_t stream);

}  // namespace anyclass
