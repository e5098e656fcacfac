// Geometry, color, normalization and erasing of images: each thread computes one pixel of the result. Contrast needs the
// mean gray of the moved image right before it, which a first kernel sums, one block per image and in a fixed order:
// an image gets the same bits in every batch.
#include <algorithm>

#include "cudaKernels.h"

namespace anyclass {
namespace {

constexpr int kThreads = 256;
constexpr int kMeanThreads = 512, kMeanWarps = kMeanThreads / 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ Color withChanges(Color color, const ImageParameters& parameters, int changes, float meanGray) {
  for (int i = 0; i < changes; i++) {
    switch (parameters.change(i)) {
      case ColorChange::brightness: color = changed<ColorChange::brightness>(color, parameters.factor(i), meanGray); break;
      case ColorChange::contrast: color = changed<ColorChange::contrast>(color, parameters.factor(i), meanGray); break;
      case ColorChange::saturation: color = changed<ColorChange::saturation>(color, parameters.factor(i), meanGray); break;
      case ColorChange::hue: color = changed<ColorChange::hue>(color, parameters.factor(i), meanGray); break;
      case ColorChange::none: break;
    }
  }
  return color;
}

// Returns a gray pixel as a color of three equal channels.
__device__ __forceinline__ Color grayWithChanges(float gray, const ImageParameters& parameters, int changes, float meanGray) {
  for (int i = 0; i < changes; i++) {
    const ColorChange change = parameters.change(i);
    if (change != ColorChange::none) gray = changedGray(change, gray, parameters.factor(i), meanGray);
  }
  return {gray, gray, gray};
}

// Pixel `at` of the result, moved and with its first color changes.
template <int channels, typename T>
__device__ __forceinline__ Color changedPixel(const InputBatch& batch, const T* image, const Geometry& geometry, int at, const ImageParameters& parameters, int changes, float meanGray) {
  float values[channels];
  sample<channels>(image, batch.width, geometry, at % batch.resultWidth, at / batch.resultWidth, [&](int channel, float value) { values[channel] = value; });
  if constexpr (channels == 3) return withChanges({values[0], values[1], values[2]}, parameters, changes, meanGray);
  else return grayWithChanges(values[0], parameters, changes, meanGray);
}

__device__ __forceinline__ float sumOfWarp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

template <typename T, int channels>
__global__ void __launch_bounds__(kMeanThreads) meanGrays(InputBatch batch, float* means) {
  const auto parameters = batch.parametersOf(blockIdx.x);
  const int changes = parameters.beforeContrast();
  if (changes == kChanges) return;
  const T* const image = batch.image<T>(blockIdx.x);
  const Geometry geometry = batch.geometryOf(blockIdx.x);
  float sum = 0;
  for (int at = threadIdx.x; at < batch.resultPixels(); at += kMeanThreads) {
    const Color color = changedPixel<channels>(batch, image, geometry, at, parameters, changes, 0);
    sum += channels == 3 ? grayOf(color) : color.red;
  }
  __shared__ float ofWarps[kMeanWarps];
  sum = sumOfWarp(sum);
  if (threadIdx.x % 32 == 0) ofWarps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = sumOfWarp(threadIdx.x < kMeanWarps ? ofWarps[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) means[blockIdx.x] = sum / batch.resultPixels();
}

template <typename T, int channels>
__global__ void __launch_bounds__(kThreads) augment(InputBatch batch, const float* means, float* result) {
  const unsigned blocksOfImage = (batch.resultPixels() + kThreads - 1) / kThreads;
  const unsigned image = blockIdx.x / blocksOfImage;
  const int at = blockIdx.x % blocksOfImage * kThreads + threadIdx.x;
  if (at >= batch.resultPixels()) return;
  const auto parameters = batch.parametersOf(image);
  float* const values = result + (int64_t{image} * batch.resultPixels() + at) * 3;
  if (!parameters.isFiltered() && parameters.erases(at % batch.resultWidth, at / batch.resultWidth)) {
    values[0] = values[1] = values[2] = 0;
    return;
  }
  const Color color = changedPixel<channels>(batch, batch.image<T>(image), batch.geometryOf(image), at, parameters, kChanges, means[image]);
  values[0] = color.red * batch.scale[0] - batch.offset[0];
  values[1] = color.green * batch.scale[1] - batch.offset[1];
  values[2] = color.blue * batch.scale[2] - batch.offset[2];
}

template <typename T, int channels>
void launchFor(const InputBatch& batch, float* means, float* result, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(batch.count * ((batch.resultPixels() + kThreads - 1) / kThreads));
  if (batch.parameters) meanGrays<T, channels><<<static_cast<unsigned>(batch.count), kMeanThreads, 0, stream>>>(batch, means);
  augment<T, channels><<<blocks, kThreads, 0, stream>>>(batch, means, result);
}

template <typename T>
void launch(const InputBatch& batch, float* means, float* result, cudaStream_t stream) {
  if (batch.channels == 1) launchFor<T, 1>(batch, means, result, stream);
  else launchFor<T, 3>(batch, means, result, stream);
}

}  // namespace

cudaError_t launchAugmentImages(const InputBatch& batch, float* means, float* result, cudaStream_t stream) {
  if (batch.count == 0 || batch.resultPixels() == 0) return cudaSuccess;
  if (batch.isBytes) launch<uint8_t>(batch, means, result, stream);
  else launch<float>(batch, means, result, stream);
  return cudaGetLastError();
}

}  // namespace anyclass
