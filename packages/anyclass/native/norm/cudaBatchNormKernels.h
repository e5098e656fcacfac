// The GPU's kernels of activated batch norm as functions of plain pointers, for whoever holds tensors. They run on the
// current device. Nothing of ATen here, so that nvcc need not read it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "../shared/elementType.h"

namespace anyclass {

// An image batch in channels-last memory: a row of channels for each pixel. Maps of one norm have the same shape.
struct NormShape {
  ElementType type;
  int64_t rows;
  int64_t channels;
};

// `leaky` multiplies what is not above zero by a slope: 0 for ReLU, 1 for the identity.
enum class NormActivation { leaky, gelu };

// y = activation(scale · (x - mean) / deviation + bias). The scale is |weight| + eps or the weight.
struct NormParameters {
  const float* weight;
  const float* bias;
  float eps;
  NormActivation activation;
  float slope;
  bool absoluteWeight;
};

struct NormStatistics {
  float* mean;
  float* inverseDeviation;
};

struct RunningStatistics {
  float* mean;
  float* variance;
  float momentum;  // the weight of the newest batch
};

// What the reductions over rows leave between blocks.
struct NormScratch {
  float* partials;  // as many floats as `normScratch` says
  unsigned* finished;  // a counter for each channel will do; zero before the first use, and again after each
};

size_t normScratch(const NormShape& shape);

// Statistics, the running ones too.
cudaError_t launchNormStatistics(const NormShape& shape, float eps, const void* input, const NormStatistics& statistics, const RunningStatistics& running,
                                 const NormScratch& scratch, cudaStream_t stream);

// The output, from statistics of this batch or of one that it is a part of.
cudaError_t launchNormOutput(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, void* output,
                             cudaStream_t stream);

struct NormGradients {
  void* input;
  float* weight;
  float* bias;
};

// The gradients of weight and bias.
cudaError_t launchParameterGradients(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                     const void* outputGradient, const NormScratch& scratch, const NormGradients& gradients, cudaStream_t stream);

// That of the input, from those of weight and bias over all rows that the statistics are of.
cudaError_t launchInputGradient(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                const void* outputGradient, const NormGradients& gradients, cudaStream_t stream);

}  // namespace anyclass
