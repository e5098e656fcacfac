// Squeeze-and-excitation around a norm: nothing but the input of the norm and the end result of a block is ever written, and each is read as
// often as the dependencies demand. With z = factor · d + bias, d = x - mean, a the activation's slope at z, and s the scale of a channel in an image:
//
//   squeeze   the mean of a z                          reads x
//   excite    s a z, or ReLU(s a z + residual)         reads x, residual; writes the output
//   sums      Σ g a, Σ g a d, Σ a, Σ a d per image     reads x, g (and the output; writes the gradient inside the ReLU)
//   gradient  of x, from those sums                    reads x, g; writes the gradient
//
// The gradient of s is Σ g a z = factor · Σ g a d + bias · Σ g a, and that of the norm's weight and bias follows from the same four sums.
#include "cudaExciteKernels.h"

#include <type_traits>

#include "../shared/cudaColumnSums.h"
#include "cudaChannelNorms.h"

namespace anyclass {
namespace {

// A block takes `columns` neighboring packs of `lines` positions of one image at a time.
struct ExciteGrid {
  NormGrid rows;  // of one image
  int64_t images;
  int parts;

  dim3 grid() const { return dim3(parts, rows.tiles, static_cast<unsigned>(images)); }
  int threads() const { return rows.threads(); }
};

// The rows of an image are those of a small batch, cut into as many parts as it takes to fill the GPU.
ExciteGrid exciteGrid(const ExciteShape& shape, int width, int parts) {
  ExciteGrid grid{normGrid({shape.type, shape.positions, shape.channels, shape.known}, width, 1, 1), shape.images, parts};
  return grid;
}

int partsFor(const ExciteShape& shape, int width, int blocksPerMultiprocessor) {
  const auto rows = exciteGrid(shape, width, 1).rows;
  const int64_t wanted = int64_t{multiprocessors()} * blocksPerMultiprocessor / std::max<int64_t>(1, shape.images * rows.tiles);
  const int64_t most = (shape.positions + rows.lines * 4 - 1) / (rows.lines * 4);  // four rows a thread at least
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, most)));
}

struct ExcitePlace : NormPlace {
  int64_t start, end;  // of the positions of this part
  int64_t ofImage;  // the first element
  int64_t firstChannel;

  __device__ __forceinline__ ExcitePlace(const ExciteGrid& grid, int width) : NormPlace(grid.rows) {
    start = grid.rows.rows * blockIdx.x / gridDim.x;
    end = grid.rows.rows * (blockIdx.x + 1) / gridDim.x;
    ofImage = int64_t{blockIdx.z} * grid.rows.rows * grid.rows.rowLength;
    firstChannel = int64_t{pack} * width;
  }
};

template <int inFlight, typename Work>
__device__ __forceinline__ void forEachPosition(const ExciteGrid& grid, const ExcitePlace& place, Work work) {
  if (!place.isInside || place.line >= grid.rows.lines) return;
  const int64_t length = grid.rows.rowLength, step = grid.rows.lines;
  const int64_t first = place.ofImage + place.firstChannel;
  int64_t row = place.start + place.line;
  for (; row + (inFlight - 1) * step < place.end; row += inFlight * step) {
    int64_t positions[inFlight];
#pragma unroll
    for (int i = 0; i < inFlight; i++) positions[i] = first + (row + i * step) * length;
    work(positions);
  }
  for (; row < place.end; row += step) {
    const int64_t positions[1] = {first + row * length};
    work(positions);
  }
}

// The values of a thread's channels in its image, from [images, known].
template <int width>
__device__ __forceinline__ Pack<float, width> ofImage(const float* values, const ExciteGrid& grid, const ExcitePlace& place, float otherwise) {
  return ofChannels<width>(values == nullptr ? nullptr : values + int64_t{blockIdx.z} * grid.rows.known, grid.rows, place, otherwise);
}

// Sums one number per channel over the lines of a block, and writes the result of this part.
template <int width>
__device__ __forceinline__ void writeSum(const float (&own)[width], float factor, const ExciteGrid& grid, const ExcitePlace& place, float* results) {
  __shared__ float ofLines[kNormThreads * width];
  const int row = grid.rows.columns * width;
  if (place.line < grid.rows.lines) {
#pragma unroll
    for (int k = 0; k < width; k++) ofLines[place.line * row + place.column * width + k] = own[k];
  }
  __syncthreads();
  for (int element = threadIdx.x; element < row; element += blockDim.x) {
    const int64_t channel = int64_t{blockIdx.y} * row + element;
    if (channel >= grid.rows.known) continue;
    float total = 0;
    for (int line = 0; line < grid.rows.lines; line++) total += ofLines[line * row + element];
    results[channel] = total * factor;
  }
  __syncthreads();
}

template <typename T, int width>
__global__ void __launch_bounds__(kNormThreads) squeezeKernel(const ExciteGrid grid, const void* __restrict__ input, const NormParameters parameters,
                                                              const NormStatistics statistics, float* __restrict__ means) {
  const ExcitePlace place(grid, width);
  const ChannelNorms<width, NormActivation::leaky> norms(parameters, statistics, grid.rows, place);
  float own[width] = {};
  forEachPosition<8>(grid, place, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> packs[count];
#pragma unroll
    for (int i = 0; i < count; i++) packs[i] = load<T, width>(input, positions[i]);
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) own[k] += norms.activated(norms.norm(k, norms.difference(k, toFloat(packs[i].values[k]))));
    }
  });
  writeSum<width>(own, 1.0f / grid.rows.rows, grid, place, means + (int64_t{blockIdx.x} * grid.images + blockIdx.z) * grid.rows.known);
}

template <typename T, int width, bool hasResidual>
__global__ void __launch_bounds__(kNormThreads) exciteKernel(const ExciteGrid grid, const void* input, const NormParameters parameters, const NormStatistics statistics,
                                                             const float* __restrict__ scales, const void* __restrict__ residual, void* output) {
  const ExcitePlace place(grid, width);
  const ChannelNorms<width, NormActivation::leaky> norms(parameters, statistics, grid.rows, place);
  const auto scale = ofImage<width>(scales, grid, place, 1);
  forEachPosition<4>(grid, place, [&](const auto& positions) {
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
        float result = scale.values[k] * norms.activated(norms.norm(k, norms.difference(k, toFloat(packs[i].values[k]))));
        if constexpr (hasResidual) result = fmaxf(result + toFloat(residuals[i].values[k]), 0);
        packs[i].values[k] = fromFloat<T>(result);
      }
      store(output, positions[i], packs[i]);
    }
  });
}

template <typename T, int width, bool isRectified>
__global__ void __launch_bounds__(kNormThreads) sumsKernel(const ExciteGrid grid, const void* __restrict__ input, const void* __restrict__ outputGradient,
                                                           const RectifiedSum sum, const NormParameters parameters, const NormStatistics statistics,
                                                           float* __restrict__ sums) {
  const ExcitePlace place(grid, width);
  const ChannelNorms<width, NormActivation::leaky> norms(parameters, statistics, grid.rows, place);
  float own[4][width] = {};
  forEachPosition<4>(grid, place, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> inputs[count], gradients[count];
    [[maybe_unused]] Pack<T, width> rectified[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      inputs[i] = load<T, width>(input, positions[i]);
      gradients[i] = load<T, width>(outputGradient, positions[i]);
      if constexpr (isRectified) rectified[i] = load<T, width>(sum.output, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
      if constexpr (isRectified) {
#pragma unroll
        for (int k = 0; k < width; k++) {
          if (!(toFloat(rectified[i].values[k]) > 0)) gradients[i].values[k] = fromFloat<T>(0);
        }
        store(sum.gradient, positions[i], gradients[i]);
      }
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float difference = norms.difference(k, toFloat(inputs[i].values[k]));
        const float slope = norms.gradient(k, difference, 1), gradient = slope * toFloat(gradients[i].values[k]);
        own[0][k] += gradient;
        own[1][k] = fmaf(gradient, difference, own[1][k]);
        own[2][k] += slope;
        own[3][k] = fmaf(slope, difference, own[3][k]);
      }
    }
  });
#pragma unroll
  for (int number = 0; number < 4; number++) {
    writeSum<width>(own[number], 1, grid, place, sums + ((int64_t{blockIdx.x} * 4 + number) * grid.images + blockIdx.z) * grid.rows.known);
  }
}

__device__ __forceinline__ float factorOf(const NormParameters& parameters, const NormStatistics& statistics, int64_t channel) {
  return scaleOf(parameters, parameters.weight[channel]) * statistics.inverseDeviation[channel];
}

__global__ void __launch_bounds__(256) scaleGradientKernel(const int64_t images, const int64_t known, const NormParameters parameters, const NormStatistics statistics,
                                                           const float* __restrict__ sums, const float* __restrict__ scales, float* __restrict__ logitGradients) {
  const int64_t all = images * known, at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= all) return;
  const int64_t channel = at % known;
  const float gradient = fmaf(factorOf(parameters, statistics, channel), sums[all + at], parameters.bias[channel] * sums[at]);
  logitGradients[at] = gradient * scales[at] * (1 - scales[at]);
}

// One column of threads per channel; lines of images are summed in a fixed order.
__global__ void __launch_bounds__(32 * kSumLines) excitedParameterKernel(const int64_t images, const int64_t known, const float share, const NormParameters parameters,
                                                                         const NormStatistics statistics, const float* __restrict__ sums,
                                                                         const float* __restrict__ scales, const float* __restrict__ meanGradients,
                                                                         const NormGradients gradients) {
  __shared__ float constants[kSumLines][32], linears[kSumLines][32];
  const int64_t all = images * known, channel = int64_t{blockIdx.x} * 32 + threadIdx.x;
  float constant = 0, linear = 0;
  if (channel < known) {
    for (int64_t image = threadIdx.y; image < images; image += kSumLines) {
      const int64_t at = image * known + channel;
      const float ofMean = meanGradients[at] * share;
      constant += fmaf(scales[at], sums[at], ofMean * sums[2 * all + at]);
      linear += fmaf(scales[at], sums[all + at], ofMean * sums[3 * all + at]);
    }
  }
  constants[threadIdx.y][threadIdx.x] = constant;
  linears[threadIdx.y][threadIdx.x] = linear;
  __syncthreads();
  if (threadIdx.y > 0 || channel >= known) return;
  for (int line = 1; line < kSumLines; line++) {
    constant += constants[line][threadIdx.x];
    linear += linears[line][threadIdx.x];
  }
  gradients.bias[channel] = constant;
  gradients.weight[channel] = linear * statistics.inverseDeviation[channel] * signOf(parameters, parameters.weight[channel]);
}

// As without excitation, but the gradient of the activated norm is s g plus a share of the mean's gradient.
template <typename T, int width>
__global__ void __launch_bounds__(kNormThreads) excitedInputKernel(const ExciteGrid grid, const void* __restrict__ input, const void* __restrict__ scaledGradient,
                                                                   const NormParameters parameters, const NormStatistics statistics,
                                                                   const float* __restrict__ scales, const float* __restrict__ meanGradients,
                                                                   const NormGradients gradients) {
  const ExcitePlace place(grid, width);
  const ChannelNorms<width, NormActivation::leaky> norms(parameters, statistics, grid.rows, place);
  const auto scale = ofImage<width>(scales, grid, place, 1);
  auto ofMean = ofImage<width>(meanGradients, grid, place, 0);
  auto constant = ofChannels<width>(gradients.bias, grid.rows, place), linear = ofChannels<width>(gradients.weight, grid.rows, place);
  {
    const auto weight = ofChannels<width>(parameters.weight, grid.rows, place), inverseDeviation = ofChannels<width>(statistics.inverseDeviation, grid.rows, place);
    const float ofPosition = 1.0f / grid.rows.rows, ofRow = ofPosition / grid.images;
#pragma unroll
    for (int k = 0; k < width; k++) {
      const float share = norms.factor.values[k] * ofRow;
      ofMean.values[k] *= ofPosition;
      constant.values[k] *= share;
      linear.values[k] *= signOf(parameters, weight.values[k]) * share * inverseDeviation.values[k];
    }
  }
  forEachPosition<4>(grid, place, [&](const auto& positions) {
    constexpr int count = std::extent_v<std::remove_reference_t<decltype(positions)>>;
    Pack<T, width> inputs[count], outputs[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      inputs[i] = load<T, width>(input, positions[i]);
      outputs[i] = load<T, width>(scaledGradient, positions[i]);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float difference = norms.difference(k, toFloat(inputs[i].values[k]));
        const float gradient = norms.gradient(k, difference, fmaf(scale.values[k], toFloat(outputs[i].values[k]), ofMean.values[k]));
        inputs[i].values[k] = fromFloat<T>(fmaf(norms.factor.values[k], gradient, -fmaf(difference, linear.values[k], constant.values[k])));
      }
      store(gradients.input, positions[i], inputs[i]);
    }
  });
}

// Blocks per multiprocessor: of the reductions, whose parts have to be summed, and of the others.
constexpr int kReducingBlocks = 2, kWritingBlocks = 4;

template <auto value>
using Constant = std::integral_constant<decltype(value), value>;

// Calls `launch` with the element type and packs of 16 bytes, which a multiple of 8 channels always fills.
template <typename Launch>
void withType(const ExciteShape& shape, Launch launch) {
  switch (shape.type) {
    case ElementType::float32: return launch(float(), Constant<4>());
    case ElementType::float16: return launch(__half(), Constant<8>());
    case ElementType::bfloat16: return launch(__nv_bfloat16(), Constant<8>());
  }
}

}  // namespace

int exciteParts(const ExciteShape& shape) { return partsFor(shape, shape.type == ElementType::float32 ? 4 : 8, kReducingBlocks); }

cudaError_t launchSqueeze(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, float* means,
                          cudaStream_t stream) {
  withType(shape, [&](auto element, auto width) {
    const auto grid = exciteGrid(shape, width, exciteParts(shape));
    squeezeKernel<decltype(element), decltype(width)::value><<<grid.grid(), grid.threads(), 0, stream>>>(grid, input, parameters, statistics, means);
  });
  return cudaGetLastError();
}

cudaError_t launchExcite(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, const float* scales,
                         const void* residual, void* output, cudaStream_t stream) {
  withType(shape, [&](auto element, auto width) {
    const auto grid = exciteGrid(shape, width, partsFor(shape, width, kWritingBlocks));
    const auto launch = [&](auto hasResidual) {
      exciteKernel<decltype(element), decltype(width)::value, decltype(hasResidual)::value>
          <<<grid.grid(), grid.threads(), 0, stream>>>(grid, input, parameters, statistics, scales, residual, output);
    };
    residual == nullptr ? launch(Constant<false>()) : launch(Constant<true>());
  });
  return cudaGetLastError();
}

cudaError_t launchExciteSums(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                             const void* outputGradient, const RectifiedSum* sum, float* sums, cudaStream_t stream) {
  withType(shape, [&](auto element, auto width) {
    const auto grid = exciteGrid(shape, width, exciteParts(shape));
    const auto launch = [&](auto isRectified) {
      const RectifiedSum maps = isRectified ? *sum : RectifiedSum{nullptr, nullptr};
      sumsKernel<decltype(element), decltype(width)::value, decltype(isRectified)::value>
          <<<grid.grid(), grid.threads(), 0, stream>>>(grid, input, outputGradient, maps, parameters, statistics, sums);
    };
    sum == nullptr ? launch(Constant<false>()) : launch(Constant<true>());
  });
  return cudaGetLastError();
}

cudaError_t launchScaleGradient(const ExciteShape& shape, const NormParameters& parameters, const NormStatistics& statistics, const float* sums,
                                const float* scales, float* logitGradients, cudaStream_t stream) {
  const int64_t blocks = (shape.images * shape.known + 255) / 256;
  scaleGradientKernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(shape.images, shape.known, parameters, statistics, sums, scales, logitGradients);
  return cudaGetLastError();
}

cudaError_t launchExcitedParameterGradients(const ExciteShape& shape, const NormParameters& parameters, const NormStatistics& statistics, const float* sums,
                                            const float* scales, const float* meanGradients, const NormGradients& gradients, cudaStream_t stream) {
  const int64_t blocks = (shape.known + 31) / 32;
  excitedParameterKernel<<<static_cast<unsigned>(blocks), dim3(32, kSumLines), 0, stream>>>(shape.images, shape.known, 1.0f / shape.positions, parameters, statistics,
                                                                                              sums, scales, meanGradients, gradients);
  return cudaGetLastError();
}

cudaError_t launchExcitedInputGradient(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                       const void* scaledGradient, const float* scales, const float* meanGradients, const NormGradients& gradients,
                                       cudaStream_t stream) {
  withType(shape, [&](auto element, auto width) {
    const auto grid = exciteGrid(shape, width, partsFor(shape, width, kWritingBlocks));
    excitedInputKernel<decltype(element), decltype(width)::value>
        <<<grid.grid(), grid.threads(), 0, stream>>>(grid, input, scaledGradient, parameters, statistics, scales, meanGradients, gradients);
  });
  return cudaGetLastError();
}

cudaError_t launchSums(const float* table, int64_t rows, int64_t columns, float* sums, cudaStream_t stream) {
  launchColumnSums(table, static_cast<int>(rows), static_cast<int>(columns), sums, stream);
  return cudaGetLastError();
}

}  // namespace anyclass
