// Pools of channels-last maps that halve height and width: each thread computes one pack of channels of one pixel. Neighboring threads read the same
// pixels at about the same time, so the caches serve all but the first read of each.
#include "cudaKernels.h"

#include "../shared/cudaElements.h"

namespace anyclass {
namespace {

__device__ __forceinline__ int reflected(int at, int length) { return at < 0 ? -at : at >= length ? 2 * (length - 1) - at : at; }

template <int width>
__device__ __forceinline__ Pack<float, width> filterOf(const float* filters, const PoolShape& shape, int tap, int channel) {
  Pack<float, width> pack;
#pragma unroll
  for (int k = 0; k < width; k++) pack.values[k] = channel + k < shape.known ? __ldg(filters + int64_t{tap} * shape.known + channel + k) : 0;
  return pack;
}

struct PoolPlace {
  int channel, column, row, image;
  bool isInside;

  __device__ __forceinline__ PoolPlace(const PoolShape& shape, int width, int height, int columns) {
    const int packs = shape.channels / width;
    const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    channel = static_cast<int>(at % packs) * width;
    const int64_t pixel = at / packs;
    column = static_cast<int>(pixel % columns);
    row = static_cast<int>(pixel / columns % height);
    const int64_t number = pixel / columns / height;
    image = static_cast<int>(number);
    isInside = number < shape.images;
  }
};

template <typename T, int width>
__global__ void __launch_bounds__(256) blurKernel(const PoolShape shape, const void* __restrict__ input, const float* __restrict__ filters, void* __restrict__ output) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, height, columns);
  if (!place.isInside) return;
  Pack<T, width> packs[9];
#pragma unroll
  for (int tap = 0; tap < 9; tap++) {
    const int row = reflected(2 * place.row - 1 + tap / 3, shape.height), column = reflected(2 * place.column - 1 + tap % 3, shape.width);
    packs[tap] = load<T, width>(input, ((int64_t{place.image} * shape.height + row) * shape.width + column) * shape.channels + place.channel);
  }
  float sums[width] = {};
#pragma unroll
  for (int tap = 0; tap < 9; tap++) {
    const auto filter = filterOf<width>(filters, shape, tap, place.channel);
#pragma unroll
    for (int k = 0; k < width; k++) sums[k] = fmaf(filter.values[k], toFloat(packs[tap].values[k]), sums[k]);
  }
  Pack<T, width> result;
#pragma unroll
  for (int k = 0; k < width; k++) result.values[k] = fromFloat<T>(sums[k]);
  store(output, ((int64_t{place.image} * height + place.row) * columns + place.column) * shape.channels + place.channel, result);
}

// Calls `use(output, tap)` for the outputs along one axis that read position `at` through this tap, also as the reflection of a position outside.
template <typename Use>
__device__ __forceinline__ void forEachOutput(int at, int length, int outputs, Use use) {
  const auto from = [&](int padded) {
#pragma unroll
    for (int tap = 0; tap < 3; tap++) {
      const int twice = padded + 1 - tap;
      if (twice >= 0 && twice % 2 == 0 && twice / 2 < outputs) use(twice / 2, tap);
    }
  };
  from(at);
  if (at == 1) from(-1);
  if (at == length - 2) from(length);
}

template <typename T, int width>
__global__ void __launch_bounds__(256) blurGradientKernel(const PoolShape shape, const void* __restrict__ outputGradient, const float* __restrict__ filters,
                                                          void* __restrict__ inputGradient) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, shape.height, shape.width);
  if (!place.isInside) return;
  float sums[width] = {};
  forEachOutput(place.row, shape.height, height, [&](int row, int rowTap) {
    forEachOutput(place.column, shape.width, columns, [&](int column, int columnTap) {
      const auto pack = load<T, width>(outputGradient, ((int64_t{place.image} * height + row) * columns + column) * shape.channels + place.channel);
      const auto filter = filterOf<width>(filters, shape, rowTap * 3 + columnTap, place.channel);
#pragma unroll
      for (int k = 0; k < width; k++) sums[k] = fmaf(filter.values[k], toFloat(pack.values[k]), sums[k]);
    });
  });
  Pack<T, width> result;
#pragma unroll
  for (int k = 0; k < width; k++) result.values[k] = fromFloat<T>(sums[k]);
  store(inputGradient, ((int64_t{place.image} * shape.height + place.row) * shape.width + place.column) * shape.channels + place.channel, result);
}

template <typename T, int width>
__global__ void __launch_bounds__(256) meanKernel(const PoolShape shape, const void* __restrict__ input, void* __restrict__ output) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, height, columns);
  if (!place.isInside) return;
  float sums[width] = {};
  int count = 0;
#pragma unroll
  for (int corner = 0; corner < 4; corner++) {
    const int row = 2 * place.row + corner / 2, column = 2 * place.column + corner % 2;
    if (row >= shape.height || column >= shape.width) continue;
    const auto pack = load<T, width>(input, ((int64_t{place.image} * shape.height + row) * shape.width + column) * shape.channels + place.channel);
#pragma unroll
    for (int k = 0; k < width; k++) sums[k] += toFloat(pack.values[k]);
    count++;
  }
  Pack<T, width> result;
#pragma unroll
  for (int k = 0; k < width; k++) result.values[k] = fromFloat<T>(sums[k] / count);
  store(output, ((int64_t{place.image} * height + place.row) * columns + place.column) * shape.channels + place.channel, result);
}

template <typename T, int width>
__global__ void __launch_bounds__(256) meanGradientKernel(const PoolShape shape, const void* __restrict__ outputGradient, void* __restrict__ inputGradient) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, height, columns);
  if (!place.isInside) return;
  const int rows = min(2, shape.height - 2 * place.row), across = min(2, shape.width - 2 * place.column);
  auto pack = load<T, width>(outputGradient, ((int64_t{place.image} * height + place.row) * columns + place.column) * shape.channels + place.channel);
#pragma unroll
  for (int k = 0; k < width; k++) pack.values[k] = fromFloat<T>(toFloat(pack.values[k]) / (rows * across));
  for (int row = 2 * place.row; row < 2 * place.row + rows; row++) {
    for (int column = 2 * place.column; column < 2 * place.column + across; column++) {
      store(inputGradient, ((int64_t{place.image} * shape.height + row) * shape.width + column) * shape.channels + place.channel, pack);
    }
  }
}

// The mean of 3x3 pixels with stride 2, zeros around the map.
template <typename T, int width>
__global__ void __launch_bounds__(256) wideMeanKernel(const PoolShape shape, const void* __restrict__ input, void* __restrict__ output) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, height, columns);
  if (!place.isInside) return;
  float sums[width] = {};
#pragma unroll
  for (int tap = 0; tap < 9; tap++) {
    const int row = 2 * place.row - 1 + tap / 3, column = 2 * place.column - 1 + tap % 3;
    if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) continue;
    const auto pack = load<T, width>(input, ((int64_t{place.image} * shape.height + row) * shape.width + column) * shape.channels + place.channel);
#pragma unroll
    for (int k = 0; k < width; k++) sums[k] += toFloat(pack.values[k]);
  }
  Pack<T, width> result;
#pragma unroll
  for (int k = 0; k < width; k++) result.values[k] = fromFloat<T>(sums[k] / 9);
  store(output, ((int64_t{place.image} * height + place.row) * columns + place.column) * shape.channels + place.channel, result);
}

// A pixel of even row belongs to one row of outputs, one of odd row to two; columns alike.
template <typename T, int width>
__global__ void __launch_bounds__(256) wideMeanGradientKernel(const PoolShape shape, const void* __restrict__ outputGradient, void* __restrict__ inputGradient) {
  const int height = shape.outputHeight(), columns = shape.outputWidth();
  const PoolPlace place(shape, width, shape.height, shape.width);
  if (!place.isInside) return;
  float sums[width] = {};
  for (int row = place.row / 2; row <= (place.row + 1) / 2 && row < height; row++) {
    for (int column = place.column / 2; column <= (place.column + 1) / 2 && column < columns; column++) {
      const auto pack = load<T, width>(outputGradient, ((int64_t{place.image} * height + row) * columns + column) * shape.channels + place.channel);
#pragma unroll
      for (int k = 0; k < width; k++) sums[k] += toFloat(pack.values[k]);
    }
  }
  Pack<T, width> result;
#pragma unroll
  for (int k = 0; k < width; k++) result.values[k] = fromFloat<T>(sums[k] / 9);
  store(inputGradient, ((int64_t{place.image} * shape.height + place.row) * shape.width + place.column) * shape.channels + place.channel, result);
}

template <int value>
using Width = std::integral_constant<int, value>;

// Calls `launch` with the element type, packs of 16 bytes, and the number of blocks for so many pixels.
template <typename Launch>
cudaError_t withType(const PoolShape& shape, int64_t pixels, Launch launch) {
  const auto withWidth = [&](auto element, auto width) { launch(element, width, static_cast<unsigned>((pixels * (shape.channels / width) + 255) / 256)); };
  switch (shape.type) {
    case ElementType::float32: withWidth(float(), Width<4>()); break;
    case ElementType::float16: withWidth(__half(), Width<8>()); break;
    case ElementType::bfloat16: withWidth(__nv_bfloat16(), Width<8>()); break;
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t launchBlur(const PoolShape& shape, const void* input, const float* filters, void* output, cudaStream_t stream) {
  return withType(shape, int64_t{shape.images} * shape.outputHeight() * shape.outputWidth(), [&](auto element, auto width, unsigned blocks) {
    blurKernel<decltype(element), decltype(width)::value><<<blocks, 256, 0, stream>>>(shape, input, filters, output);
  });
}

cudaError_t launchBlurGradient(const PoolShape& shape, const void* outputGradient, const float* filters, void* inputGradient, cudaStream_t stream) {
  return withType(shape, int64_t{shape.images} * shape.height * shape.width, [&](auto element, auto width, unsigned blocks) {
    blurGradientKernel<decltype(element), decltype(width)::value><<<blocks, 256, 0, stream>>>(shape, outputGradient, filters, inputGradient);
  });
}

cudaError_t launchMeanPool(const PoolShape& shape, int side, const void* input, void* output, cudaStream_t stream) {
  return withType(shape, int64_t{shape.images} * shape.outputHeight() * shape.outputWidth(), [&](auto element, auto width, unsigned blocks) {
    const auto kernel = side == 3 ? wideMeanKernel<decltype(element), decltype(width)::value> : meanKernel<decltype(element), decltype(width)::value>;
    kernel<<<blocks, 256, 0, stream>>>(shape, input, output);
  });
}

cudaError_t launchMeanPoolGradient(const PoolShape& shape, int side, const void* outputGradient, void* inputGradient, cudaStream_t stream) {
  if (side == 3) {
    return withType(shape, int64_t{shape.images} * shape.height * shape.width, [&](auto element, auto width, unsigned blocks) {
      wideMeanGradientKernel<decltype(element), decltype(width)::value><<<blocks, 256, 0, stream>>>(shape, outputGradient, inputGradient);
    });
  }
  return withType(shape, int64_t{shape.images} * shape.outputHeight() * shape.outputWidth(), [&](auto element, auto width, unsigned blocks) {
    meanGradientKernel<decltype(element), decltype(width)::value><<<blocks, 256, 0, stream>>>(shape, outputGradient, inputGradient);
  });
}

}  // namespace anyclass
