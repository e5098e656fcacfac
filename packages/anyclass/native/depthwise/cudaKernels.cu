// Depthwise 3x3 convolution of channels-last maps. Each thread handles 4 channels, keeps their weights in registers, and
// walks along rows of the map with the current pixels in registers too: each step loads only the next columns. The threads
// of a block take neighboring channels, so that they read whole lines of memory, and neighboring rows, so that pixels that
// two threads need come from the cache.
#include "cudaKernels.h"

#include <algorithm>

#include "../shared/cudaColumnSums.h"
#include "../shared/cudaElements.h"
#include "../shared/cudaGelu.h"

namespace anyclass {
namespace {

constexpr int kPack = 4, kTilePacks = 16, kLines = 8, kThreads = kTilePacks * kLines;
constexpr int kTaps = 9;
constexpr int kResidentBlocks = 3, kConvolutionBlocks = 12;  // per multiprocessor

struct Map {
  int images, height, width, channels;
};

template <typename T>
struct Pixels {
  using Values = Pack<T, kPack>;
  const void* memory;
  Map map;
  int64_t image;
  int channel;

  // Returns zeros outside the map.
  __device__ __forceinline__ Values at(int y, int x) const {
    const bool isInside = static_cast<unsigned>(y) < static_cast<unsigned>(map.height) && static_cast<unsigned>(x) < static_cast<unsigned>(map.width);
    return isInside ? load<T, kPack>(memory, ((image * map.height + y) * map.width + x) * map.channels + channel) : Values{};
  }
};

// The input pixels that a block of output rows and columns needs.
template <typename T, int stride, int outputRows, int outputColumns>
struct Window {
  static constexpr int rows = (outputRows - 1) * stride + 3, columns = (outputColumns - 1) * stride + 3, shift = outputColumns * stride;
  Pack<T, kPack> pixels[rows][columns];
  Pack<T, kPack> next[rows][shift];

  __device__ __forceinline__ void start(const Pixels<T>& input, int y) {
#pragma unroll
    for (int row = 0; row < rows; row++) {
#pragma unroll
      for (int column = 0; column < columns; column++) pixels[row][column] = input.at(y * stride - 1 + row, column - 1);
    }
  }
  // Loads ahead of time the further pixels that the next outputs need, those after the ones that start at x.
  __device__ __forceinline__ void request(const Pixels<T>& input, int y, int x) {
#pragma unroll
    for (int row = 0; row < rows; row++) {
#pragma unroll
      for (int column = 0; column < shift; column++) next[row][column] = input.at(y * stride - 1 + row, x * stride - 1 + columns + column);
    }
  }
  __device__ __forceinline__ void step() {
#pragma unroll
    for (int row = 0; row < rows; row++) {
#pragma unroll
      for (int column = 0; column < columns; column++) {
        const int from = column + shift;
        pixels[row][column] = from < columns ? pixels[row][from < columns ? from : 0] : next[row][from < columns ? 0 : from - columns];
      }
    }
  }
  __device__ __forceinline__ float get(int row, int column, int tap, int k) const {
    return toFloat(pixels[row * stride + tap / 3][column * stride + tap % 3].values[k]);
  }
};

// Rows and columns of outputs that a thread computes at once: as many as fit in registers, to keep many loads in flight.
__host__ __device__ constexpr int outputsAtOnce(int stride) { return stride == 1 ? 2 : 1; }

__device__ __forceinline__ int channelOfThread() { return (blockIdx.y * kTilePacks + threadIdx.x) * kPack; }

// Calls `work` with an image and the first of `rowsAtOnce` rows of the map, until all rows are done.
template <typename Work>
__device__ __forceinline__ void forEachRows(const Map& map, int rowsAtOnce, Work work) {
  const int groups = (map.height + rowsAtOnce - 1) / rowsAtOnce;
  for (int64_t item = int64_t{blockIdx.x} * kLines + threadIdx.y; item < int64_t{map.images} * groups; item += int64_t{gridDim.x} * kLines) {
    work(item / groups, static_cast<int>(item % groups) * rowsAtOnce);
  }
}

struct TapWeights {
  float taps[kTaps][kPack];

  // Reversed (`turned`), the weights give the gradient of the convolution's input.
  __device__ __forceinline__ TapWeights(const float* weight, int channels, int channel, bool turned) {
#pragma unroll
    for (int tap = 0; tap < kTaps; tap++) {
      const auto pack = load<float, kPack>(weight, int64_t{turned ? kTaps - 1 - tap : tap} * channels + channel);
#pragma unroll
      for (int k = 0; k < kPack; k++) taps[tap][k] = pack.values[k];
    }
  }
};

template <typename T, int stride, bool activated>
__global__ void __launch_bounds__(kThreads, kResidentBlocks)
    convolutionKernel(const Map from, const Map to, const void* __restrict__ input, const float* __restrict__ weight, const bool turned,
                      const float* __restrict__ bias, void* __restrict__ output) {
  const int channel = channelOfThread();
  if (channel >= from.channels) return;
  const TapWeights weights(weight, from.channels, channel, turned);
  constexpr int many = outputsAtOnce(stride);
  forEachRows(to, many, [&](int64_t image, int y) {
    const Pixels<T> pixels{input, from, image, channel};
    Window<T, stride, many, many> window;
    window.start(pixels, y);
    for (int x = 0; x < to.width; x += many) {
      window.request(pixels, y, x);
#pragma unroll
      for (int i = 0; i < many * many; i++) {
        const int row = i / many, column = i % many;
        Pack<T, kPack> result;
#pragma unroll
        for (int k = 0; k < kPack; k++) {
          float sum = activated ? bias[channel + k] : 0.0f;
#pragma unroll
          for (int tap = 0; tap < kTaps; tap++) sum = fmaf(window.get(row, column, tap, k), weights.taps[tap][k], sum);
          result.values[k] = fromFloat<T>(activated ? gelu(sum) : sum);
        }
        if (y + row >= to.height || x + column >= to.width) continue;
        store(output, ((image * to.height + y + row) * to.width + x + column) * to.channels + channel, result);
      }
      window.step();
    }
  });
}

// With stride 2, each output gradient (y, x) and its neighbors below and to the right give four pixels of the input
// gradient: tap (i, j) of output (y, x) reads input (2 y - 1 + i, 2 x - 1 + j).
template <typename T>
__global__ void __launch_bounds__(kThreads, kResidentBlocks)
    stridedInputGradientKernel(const Map input, const Map output, const void* __restrict__ outputGradient, const float* __restrict__ weight,
                               void* __restrict__ inputGradient) {
  const int channel = channelOfThread();
  if (channel >= input.channels) return;
  const TapWeights weights(weight, input.channels, channel, false);
  const auto& w = weights.taps;
  forEachRows(output, 1, [&](int64_t image, int y) {
    const Pixels<T> pixels{outputGradient, output, image, channel};
    const auto write = [&](int row, int column, const Pack<T, kPack>& values) {
      if (row < input.height && column < input.width) store(inputGradient, ((image * input.height + row) * input.width + column) * input.channels + channel, values);
    };
    auto here = pixels.at(y, 0), below = pixels.at(y + 1, 0);
    for (int x = 0; x < output.width; x++) {
      const auto right = pixels.at(y, x + 1), corner = pixels.at(y + 1, x + 1);
      Pack<T, kPack> results[4];
#pragma unroll
      for (int k = 0; k < kPack; k++) {
        const float a = toFloat(here.values[k]), b = toFloat(right.values[k]), c = toFloat(below.values[k]), d = toFloat(corner.values[k]);
        results[0].values[k] = fromFloat<T>(w[4][k] * a);
        results[1].values[k] = fromFloat<T>(fmaf(w[5][k], a, w[3][k] * b));
        results[2].values[k] = fromFloat<T>(fmaf(w[7][k], a, w[1][k] * c));
        results[3].values[k] = fromFloat<T>(fmaf(w[8][k], a, fmaf(w[6][k], b, fmaf(w[2][k], c, w[0][k] * d))));
      }
#pragma unroll
      for (int i = 0; i < 4; i++) write(2 * y + i / 2, 2 * x + i % 2, results[i]);
      here = right;
      below = corner;
    }
  });
}

template <typename T, int stride>
__global__ void __launch_bounds__(kThreads, kResidentBlocks)
    weightGradientKernel(const Map input, const Map output, const void* __restrict__ inputs, const void* __restrict__ outputGradient,
                         float* __restrict__ partials) {
  const int channel = channelOfThread();
  const bool isInside = channel < input.channels;
  float sums[kTaps][kPack] = {};
  if (isInside) {
    constexpr int many = outputsAtOnce(stride);
    forEachRows(output, many, [&](int64_t image, int y) {
      const Pixels<T> pixels{inputs, input, image, channel}, gradients{outputGradient, output, image, channel};
      Window<T, stride, many, many> window;
      window.start(pixels, y);
      for (int x = 0; x < output.width; x += many) {
        Pack<T, kPack> gradient[many * many];
#pragma unroll
        for (int i = 0; i < many * many; i++) gradient[i] = gradients.at(y + i / many, x + i % many);
        window.request(pixels, y, x);
#pragma unroll
        for (int i = 0; i < many * many; i++) {
#pragma unroll
          for (int k = 0; k < kPack; k++) {
            const float ofOutput = toFloat(gradient[i].values[k]);
#pragma unroll
            for (int tap = 0; tap < kTaps; tap++) sums[tap][k] = fmaf(ofOutput, window.get(i / many, i % many, tap, k), sums[tap][k]);
          }
        }
        window.step();
      }
    });
  }
  __shared__ float ofUpperHalf[kLines / 2][kTilePacks][kTaps * kPack + 1];
  for (int half = kLines / 2; half > 0; half /= 2) {
    if (threadIdx.y >= half && threadIdx.y < 2 * half) {
#pragma unroll
      for (int i = 0; i < kTaps * kPack; i++) ofUpperHalf[threadIdx.y - half][threadIdx.x][i] = sums[i / kPack][i % kPack];
    }
    __syncthreads();
    if (threadIdx.y < half) {
#pragma unroll
      for (int i = 0; i < kTaps * kPack; i++) sums[i / kPack][i % kPack] += ofUpperHalf[threadIdx.y][threadIdx.x][i];
    }
    __syncthreads();
  }
  if (threadIdx.y > 0 || !isInside) return;
#pragma unroll
  for (int i = 0; i < kTaps * kPack; i++) partials[(int64_t{blockIdx.x} * kTaps + i / kPack) * input.channels + channel + i % kPack] = sums[i / kPack][i % kPack];
}

Map inputMap(const DepthwiseShape& shape) { return {shape.images, shape.height, shape.width, shape.channels}; }
Map outputMap(const DepthwiseShape& shape) { return {shape.images, shape.outputHeight(), shape.outputWidth(), shape.channels}; }

dim3 gridFor(const Map& map, int rows, int blocksPerMultiprocessor) {
  const int tiles = (map.channels / kPack + kTilePacks - 1) / kTilePacks;
  const int64_t items = int64_t{map.images} * ((map.height + rows - 1) / rows);
  const int64_t most = std::max(1, multiprocessors() * blocksPerMultiprocessor / tiles);
  return dim3(static_cast<unsigned>(std::clamp<int64_t>((items + kLines - 1) / kLines, 1, most)), tiles);
}

template <typename Launch>
cudaError_t withType(const DepthwiseShape& shape, Launch launch) {
  switch (shape.type) {
    case ElementType::float32: launch(float()); break;
    case ElementType::float16: launch(__half()); break;
    case ElementType::bfloat16: launch(__nv_bfloat16()); break;
  }
  return cudaGetLastError();
}

const dim3 kBlock(kTilePacks, kLines);

template <typename T, int stride, bool activated>
void convolve(const Map& from, const Map& to, const void* input, const float* weight, bool turned, const float* bias, void* output, cudaStream_t stream) {
  convolutionKernel<T, stride, activated>
      <<<gridFor(to, outputsAtOnce(stride), kConvolutionBlocks), kBlock, 0, stream>>>(from, to, input, weight, turned, bias, output);
}

}  // namespace

cudaError_t launchDepthwise(const DepthwiseShape& shape, const void* input, const float* weight, const float* bias, void* output, cudaStream_t stream) {
  const Map from = inputMap(shape), to = outputMap(shape);
  return withType(shape, [&](auto element) {
    using T = decltype(element);
    const auto run = shape.stride == 1 ? (bias ? convolve<T, 1, true> : convolve<T, 1, false>) : (bias ? convolve<T, 2, true> : convolve<T, 2, false>);
    run(from, to, input, weight, false, bias, output, stream);
  });
}

cudaError_t launchDepthwiseInputGradient(const DepthwiseShape& shape, const void* outputGradient, const float* weight, void* inputGradient, cudaStream_t stream) {
  const Map input = inputMap(shape), output = outputMap(shape);
  return withType(shape, [&](auto element) {
    using T = decltype(element);
    if (shape.stride == 1) return convolve<T, 1, false>(output, input, outputGradient, weight, true, nullptr, inputGradient, stream);
    stridedInputGradientKernel<T><<<gridFor(output, 1, kConvolutionBlocks), kBlock, 0, stream>>>(input, output, outputGradient, weight, inputGradient);
  });
}

size_t depthwiseScratch(const DepthwiseShape& shape) {
  return size_t{kTaps} * shape.channels * gridFor(outputMap(shape), outputsAtOnce(shape.stride), kResidentBlocks).x;
}

cudaError_t launchDepthwiseWeightGradient(const DepthwiseShape& shape, const void* input, const void* outputGradient, float* partials, float* weightGradient,
                                          cudaStream_t stream) {
  const Map from = inputMap(shape), to = outputMap(shape);
  const dim3 grid = gridFor(to, outputsAtOnce(shape.stride), kResidentBlocks);
  return withType(shape, [&](auto element) {
    using T = decltype(element);
    const auto kernel = shape.stride == 1 ? weightGradientKernel<T, 1> : weightGradientKernel<T, 2>;
    kernel<<<grid, kBlock, 0, stream>>>(from, to, input, outputGradient, partials);
    launchColumnSums(partials, static_cast<int>(grid.x), kTaps * shape.channels, weightGradient, stream);
  });
}

}  // namespace anyclass
