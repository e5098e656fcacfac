// Activated batch norm in training on a GPU: two kernels each for forward and backward, the minimum with batch statistics.
// Forward reads the input twice and writes the output; backward reads input and output gradient twice and writes the input
// gradient. Neither output nor mask is kept: backward recomputes the side of the activation from the input.
#include "cudaBatchNormKernels.h"

#include <type_traits>

#include "../shared/cudaColumnSums.h"
#include "../shared/cudaGelu.h"
#include "cudaPartials.h"

namespace anyclass {
namespace {

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
    factor = ofChannels<width>(statistics.inverseDeviation, grid, place);
    bias = ofChannels<width>(parameters.bias, grid, place);
    slope = parameters.slope;
    const auto weight = ofChannels<width>(parameters.weight, grid, place);
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

// Blocks of the backward kernels per multiprocessor. Their registers allow one, and for a reduction one is enough to keep
// the memory busy and leaves the fewest results to merge; but GELU's slope takes so many instructions that twice the
// threads, with packs of half the channels each, are faster.
__host__ __device__ constexpr int gradientBlocks(NormActivation activation) { return activation == NormActivation::gelu ? 2 : 1; }

template <typename T, int width>
__global__ void __launch_bounds__(kNormThreads) statisticsKernel(const NormGrid grid, const void* __restrict__ input, const float eps, const NormStatistics statistics,
                                                                 const RunningStatistics running, const NormScratch scratch, const int64_t rows) {
  const NormPlace place(grid);
  Moments<width> own{};
  forEachRow<8>(grid, place, width, false, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> packs[count];
#pragma unroll
    for (int i = 0; i < count; i++) packs[i] = load<T, width>(input, positions[i]);
    own.add(packs);
  });
  mergeBlocks(own, grid, place, scratch, [&](int64_t channel, const Moments<1>& total) {
    const float mean = total.first[0], variance = total.second[0] / rows, unbiased = total.second[0] / (rows - 1);
    statistics.mean[channel] = mean;
    statistics.inverseDeviation[channel] = 1 / sqrtf(variance + eps);
    running.mean[channel] += running.momentum * (mean - running.mean[channel]);
    running.variance[channel] += running.momentum * (unbiased - running.variance[channel]);
  });
}

// Goes through the rows in descending order, because the last ones that the statistics read are still in the cache.
template <typename T, int width, NormActivation activation>
__global__ void __launch_bounds__(kNormThreads) outputKernel(const NormGrid grid, const void* __restrict__ input, const NormParameters parameters,
                                                             const NormStatistics statistics, void* __restrict__ output) {
  const NormPlace place(grid);
  const ChannelNorms<width, activation> norms(parameters, statistics, grid, place);
  forEachRow<4>(grid, place, width, true, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> packs[count];
#pragma unroll
    for (int i = 0; i < count; i++) packs[i] = load<T, width>(input, positions[i]);
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float difference = norms.difference(k, toFloat(packs[i].values[k]));
        packs[i].values[k] = fromFloat<T>(norms.activated(norms.norm(k, difference)));
      }
      store(output, positions[i], packs[i]);
    }
  });
}

template <typename T, int width, NormActivation activation>
__global__ void __launch_bounds__(kNormThreads, gradientBlocks(activation)) parameterGradientKernel(const NormGrid grid, const void* __restrict__ input, const void* __restrict__ outputGradient,
                                                                        const NormParameters parameters, const NormStatistics statistics, const NormScratch scratch,
                                                                        const NormGradients gradients) {
  const NormPlace place(grid);
  Sums<width> own{};
  const ChannelNorms<width, activation> norms(parameters, statistics, grid, place);
  forEachRow<4>(grid, place, width, false, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> inputs[count], outputs[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      inputs[i] = load<T, width>(input, positions[i]);
      outputs[i] = load<T, width>(outputGradient, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float difference = norms.difference(k, toFloat(inputs[i].values[k]));
        const float gradient = norms.gradient(k, difference, toFloat(outputs[i].values[k]));
        own.first[k] += gradient;
        own.second[k] = fmaf(gradient, difference, own.second[k]);
      }
    }
  });
  mergeBlocks(own, grid, place, scratch, [&](int64_t channel, const Sums<1>& total) {
    const float ofScale = total.second[0] * statistics.inverseDeviation[channel];
    gradients.bias[channel] = total.first[0];
    gradients.weight[channel] = parameters.absoluteWeight && parameters.weight[channel] < 0 ? -ofScale : ofScale;
  });
}

// dx = factor · (g - mean of g - x̂ · mean of g x̂), with g the gradient of the norm's result and x̂ = (x - mean) / deviation.
template <typename T, int width, NormActivation activation>
__global__ void __launch_bounds__(kNormThreads, gradientBlocks(activation)) inputGradientKernel(const NormGrid grid, const void* __restrict__ input, const void* __restrict__ outputGradient,
                                                                    const NormParameters parameters, const NormStatistics statistics, const NormGradients gradients,
                                                                    const int64_t rows) {
  const NormPlace place(grid);
  const ChannelNorms<width, activation> norms(parameters, statistics, grid, place);
  auto constant = ofChannels<width>(gradients.bias, grid, place), linear = ofChannels<width>(gradients.weight, grid, place);
  {
    const auto weight = ofChannels<width>(parameters.weight, grid, place), inverseDeviation = ofChannels<width>(statistics.inverseDeviation, grid, place);
#pragma unroll
    for (int k = 0; k < width; k++) {
      const float share = norms.factor.values[k] / rows;
      const float sign = parameters.absoluteWeight && weight.values[k] < 0 ? -1.0f : 1.0f;
      constant.values[k] *= share;
      linear.values[k] *= sign * share * inverseDeviation.values[k];
    }
  }
  forEachRow<4>(grid, place, width, true, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> inputs[count], outputs[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      inputs[i] = load<T, width>(input, positions[i]);
      outputs[i] = load<T, width>(outputGradient, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float difference = norms.difference(k, toFloat(inputs[i].values[k]));
        const float gradient = norms.gradient(k, difference, toFloat(outputs[i].values[k]));
        inputs[i].values[k] = fromFloat<T>(fmaf(norms.factor.values[k], gradient, -fmaf(difference, linear.values[k], constant.values[k])));
      }
      store(gradients.input, positions[i], inputs[i]);
    }
  });
}

// Blocks of the forward kernels per multiprocessor.
constexpr int kStatisticsBlocks = 1, kOutputBlocks = 2;

template <auto value>
using Constant = std::integral_constant<decltype(value), value>;

// Calls `launch` with the element type, the widest packs of up to `most` channels that the maps allow, and the activation.
template <typename Launch>
void withPacks(const NormShape& shape, NormActivation activation, int most, std::initializer_list<const void*> maps, Launch launch) {
  const auto withWidth = [&](auto element, auto width) {
    if (activation == NormActivation::gelu) return launch(element, width, Constant<NormActivation::gelu>());
    return launch(element, width, Constant<NormActivation::leaky>());
  };
  const auto withType = [&](auto element) {
    using T = decltype(element);
    constexpr int widest = 16 / sizeof(T);
    const auto fits = [&](auto width) {
      return width <= most && normGrid(shape, width, 1, 1).rows > 0 && std::all_of(maps.begin(), maps.end(), isAligned<T, decltype(width)::value>);
    };
    if (fits(Constant<widest>())) return withWidth(element, Constant<widest>());
    if (fits(Constant<4>())) return withWidth(element, Constant<4>());
    return withWidth(element, Constant<1>());
  };
  switch (shape.type) {
    case ElementType::float32: return withType(float());
    case ElementType::float16: return withType(__half());
    case ElementType::bfloat16: return withType(__nv_bfloat16());
  }
}

}  // namespace

size_t normScratch(const NormShape& shape) {
  size_t most = 0;
  for (const int width : {1, 4, 8}) {
    const auto grid = normGrid(shape, width, multiprocessors(), std::max(kStatisticsBlocks, gradientBlocks(NormActivation::gelu)));
    most = std::max(most, size_t{2} * grid.blocks * grid.rowLength);
  }
  return most;
}

cudaError_t launchNormStatistics(const NormShape& shape, float eps, const void* input, const NormStatistics& statistics, const RunningStatistics& running,
                                 const NormScratch& scratch, cudaStream_t stream) {
  withPacks(shape, NormActivation::leaky, 8, {input}, [&](auto element, auto width, auto) {
    using T = decltype(element);
    const auto reducing = normGrid(shape, width, multiprocessors(), kStatisticsBlocks);
    statisticsKernel<T, decltype(width)::value>
        <<<reducing.grid(), reducing.threads(), 0, stream>>>(reducing, input, eps, statistics, running, scratch, shape.rows);
  });
  return cudaGetLastError();
}

cudaError_t launchNormOutput(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, void* output,
                             cudaStream_t stream) {
  withPacks(shape, parameters.activation, 8, {input, output}, [&](auto element, auto width, auto activation) {
    using T = decltype(element);
    const auto writing = normGrid(shape, width, multiprocessors(), kOutputBlocks);
    outputKernel<T, decltype(width)::value, decltype(activation)::value>
        <<<writing.grid(), writing.threads(), 0, stream>>>(writing, input, parameters, statistics, output);
  });
  return cudaGetLastError();
}

// Channels per pack in the backward kernels.
constexpr int gradientWidth(NormActivation activation) { return activation == NormActivation::gelu ? 4 : 8; }

cudaError_t launchParameterGradients(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                     const void* outputGradient, const NormScratch& scratch, const NormGradients& gradients, cudaStream_t stream) {
  withPacks(shape, parameters.activation, gradientWidth(parameters.activation), {input, outputGradient}, [&](auto element, auto width, auto activation) {
    using T = decltype(element);
    const auto reducing = normGrid(shape, width, multiprocessors(), gradientBlocks(activation));
    parameterGradientKernel<T, decltype(width)::value, decltype(activation)::value>
        <<<reducing.grid(), reducing.threads(), 0, stream>>>(reducing, input, outputGradient, parameters, statistics, scratch, gradients);
  });
  return cudaGetLastError();
}

cudaError_t launchInputGradient(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                const void* outputGradient, const NormGradients& gradients, cudaStream_t stream) {
  withPacks(shape, parameters.activation, gradientWidth(parameters.activation), {input, outputGradient, gradients.input}, [&](auto element, auto width, auto activation) {
    using T = decltype(element);
    const auto writing = normGrid(shape, width, multiprocessors(), gradientBlocks(activation));
    inputGradientKernel<T, decltype(width)::value, decltype(activation)::value>
        <<<writing.grid(), writing.threads(), 0, stream>>>(writing, input, outputGradient, parameters, statistics, gradients, shape.rows);
  });
  return cudaGetLastError();
}

}  // namespace anyclass
