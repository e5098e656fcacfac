// Activated batch norm in training on a GPU: two kernels each for forward and backward, the minimum with batch statistics.
// Forward reads the input twice and writes the output; backward reads input and output gradient twice and writes the input
// gradient. Neither output nor mask is kept: backward recomputes the side of the activation from the input.
#include "cudaBatchNormKernels.h"

#include <type_traits>

#include "../shared/cudaColumnSums.h"
#include "cudaChannelNorms.h"
#include "cudaPartials.h"

namespace anyclass {
namespace {

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
    if (channel >= grid.known) return;
    const float mean = total.first[0], variance = total.second[0] / rows, unbiased = total.second[0] / (rows - 1);
    statistics.mean[channel] = mean;
    statistics.inverseDeviation[channel] = 1 / sqrtf(variance + eps);
    running.mean[channel] += running.momentum * (mean - running.mean[channel]);
    running.variance[channel] += running.momentum * (unbiased - running.variance[channel]);
    if (channel == 0) ++*running.batches;
  });
}

// Goes through the rows in descending order, because the last ones that the statistics read are still in the cache.
template <typename T, int width, NormActivation activation, bool hasResidual>
__global__ void __launch_bounds__(kNormThreads) outputKernel(const NormGrid grid, const void* input, const NormParameters parameters,
                                                             const NormStatistics statistics, const void* __restrict__ residual, void* output) {
  const NormPlace place(grid);
  const ChannelNorms<width, activation> norms(parameters, statistics, grid, place);
  forEachRow<4>(grid, place, width, true, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> packs[count];
    [[maybe_unused]] Pack<T, width> residuals[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      packs[i] = load<T, width>(input, positions[i]);
      if constexpr (hasResidual) residuals[i] = load<T, width>(residual, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) {
        float result = norms.activated(norms.norm(k, norms.difference(k, toFloat(packs[i].values[k]))));
        if constexpr (hasResidual) result = fmaxf(result + toFloat(residuals[i].values[k]), 0);
        packs[i].values[k] = fromFloat<T>(result);
      }
      store(output, positions[i], packs[i]);
    }
  });
}

template <typename T, int width, NormActivation activation, bool isRectified>
__global__ void __launch_bounds__(kNormThreads, gradientBlocks(activation)) parameterGradientKernel(const NormGrid grid, const void* __restrict__ input, const void* __restrict__ outputGradient,
                                                                        const RectifiedSum sum, const NormParameters parameters, const NormStatistics statistics,
                                                                        const NormScratch scratch, const NormGradients gradients) {
  const NormPlace place(grid);
  Sums<width> own{};
  const ChannelNorms<width, activation> norms(parameters, statistics, grid, place);
  forEachRow<4>(grid, place, width, false, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> inputs[count], outputs[count];
    [[maybe_unused]] Pack<T, width> rectified[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      inputs[i] = load<T, width>(input, positions[i]);
      outputs[i] = load<T, width>(outputGradient, positions[i]);
      if constexpr (isRectified) rectified[i] = load<T, width>(sum.output, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
      if constexpr (isRectified) {
#pragma unroll
        for (int k = 0; k < width; k++) {
          if (!(toFloat(rectified[i].values[k]) > 0)) outputs[i].values[k] = fromFloat<T>(0);
        }
        store(sum.gradient, positions[i], outputs[i]);
      }
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
    if (channel >= grid.known) return;
    gradients.bias[channel] = total.first[0];
    gradients.weight[channel] = total.second[0] * statistics.inverseDeviation[channel] * signOf(parameters, parameters.weight[channel]);
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
      constant.values[k] *= share;
      linear.values[k] *= signOf(parameters, weight.values[k]) * share * inverseDeviation.values[k];
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
    const auto reducing = normGrid(shape, width, multiprocessors(), kStatisticsBlocks, 8);
    statisticsKernel<T, decltype(width)::value>
        <<<reducing.grid(), reducing.threads(), 0, stream>>>(reducing, input, eps, statistics, running, scratch, shape.rows);
  });
  return cudaGetLastError();
}

cudaError_t launchNormOutput(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, const void* residual,
                             void* output, cudaStream_t stream) {
  withPacks(shape, parameters.activation, 8, {input, residual, output}, [&](auto element, auto width, auto activation) {
    using T = decltype(element);
    const auto writing = normGrid(shape, width, multiprocessors(), kOutputBlocks);
    const auto launch = [&](auto hasResidual) {
      outputKernel<T, decltype(width)::value, decltype(activation)::value, decltype(hasResidual)::value>
          <<<writing.grid(), writing.threads(), 0, stream>>>(writing, input, parameters, statistics, residual, output);
    };
    if constexpr (decltype(activation)::value == NormActivation::leaky) {
      if (residual != nullptr) return launch(Constant<true>());
    }
    launch(Constant<false>());
  });
  return cudaGetLastError();
}

// Channels per pack in the backward kernels.
constexpr int gradientWidth(NormActivation activation) { return activation == NormActivation::gelu ? 4 : 8; }

cudaError_t launchParameterGradients(const NormShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                     const void* outputGradient, const RectifiedSum* sum, const NormScratch& scratch, const NormGradients& gradients,
                                     cudaStream_t stream) {
  const RectifiedSum maps = sum == nullptr ? RectifiedSum{nullptr, nullptr} : *sum;
  withPacks(shape, parameters.activation, gradientWidth(parameters.activation), {input, outputGradient, maps.output, maps.gradient}, [&](auto element, auto width, auto activation) {
    using T = decltype(element);
    const auto reducing = normGrid(shape, width, multiprocessors(), gradientBlocks(activation), 4);
    const auto launch = [&](auto isRectified) {
      parameterGradientKernel<T, decltype(width)::value, decltype(activation)::value, decltype(isRectified)::value>
          <<<reducing.grid(), reducing.threads(), 0, stream>>>(reducing, input, outputGradient, maps, parameters, statistics, scratch, gradients);
    };
    if constexpr (decltype(activation)::value == NormActivation::leaky) {
      if (sum != nullptr) return launch(Constant<true>());
    }
    launch(Constant<false>());
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
