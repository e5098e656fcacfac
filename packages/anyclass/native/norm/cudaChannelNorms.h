// The norm of a thread's channels, as all kernels of one norm compute it.
#pragma once

#include "../shared/cudaGelu.h"
#include "cudaGrid.h"

namespace anyclass {

__device__ __forceinline__ float scaleOf(const NormParameters& parameters, float weight) {
  return parameters.absoluteWeight ? fabsf(weight) + parameters.eps : weight;
}

// The norm of a thread's channels: activation(factor · (x - mean) + bias). Forward and backward compute it with the same
// operations, so that they agree on its sign.
template <int width, NormActivation activation>
struct ChannelNorms {
  Pack<float, width> mean, factor, bias;
  float slope;

  __device__ __forceinline__ ChannelNorms(const NormParameters& parameters, const NormStatistics& statistics, const NormGrid& grid, const NormPlace& place) {
    mean = ofChannels<width>(statistics.mean, grid, place);
    factor = ofChannels<width>(statistics.inverseDeviation, grid, place, 1);
    bias = ofChannels<width>(parameters.bias, grid, place);
    slope = parameters.slope;
    const auto weight = ofChannels<width>(parameters.weight, grid, place, 1);
#pragma unroll
    for (int k = 0; k < width; k++) factor.values[k] *= scaleOf(parameters, weight.values[k]);
  }

  __device__ __forceinline__ float difference(int k, float x) const { return x - mean.values[k]; }
  __device__ __forceinline__ float norm(int k, float difference) const { return fmaf(difference, factor.values[k], bias.values[k]); }
  __device__ __forceinline__ float activated(float norm) const {
    if constexpr (activation == NormActivation::gelu) return gelu(norm);
    return norm > 0 ? norm : slope * norm;
  }
  // Returns the gradient of the norm's result from the gradient of the activation's result.
  __device__ __forceinline__ float gradient(int k, float difference, float ofOutput) const {
    if constexpr (activation == NormActivation::gelu) return ofOutput * geluSlope(norm(k, difference));
    return norm(k, difference) > 0 ? ofOutput : slope * ofOutput;
  }
};

// Adapts a factor of the scale to the weight: |weight| falls where the weight is negative.
__device__ __forceinline__ float signOf(const NormParameters& parameters, float weight) { return parameters.absoluteWeight && weight < 0 ? -1.0f : 1.0f; }

}  // namespace anyclass
