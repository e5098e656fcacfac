// Blur and JPEG's artifacts on a GPU, in four kernels: rows and columns of the blur, the blocks of the JPEG, then decoding and erasing. A block of
// threads belongs to one image, so those of images that are not drawn for a filter end at once.
#include <algorithm>

#include "cudaFilterKernels.h"

namespace anyclass {
namespace {

constexpr int kThreads = 256;

__constant__ uint8_t kTables[2][kBlockSize] = ANYCLASS_JPEG_TABLES;

int64_t scratchOfImage(const FilteredBatch& batch) {
  const int64_t bytes = std::max(int64_t{batch.pixels()} * 3 * static_cast<int64_t>(sizeof(float)), JpegPlanes::bytes(batch.height, batch.width));
  return (bytes + 15) / 16 * 16;
}

// The image and pixel of a thread, where each image has a whole number of blocks.
struct Place {
  unsigned image;
  int at;
};

__device__ __forceinline__ Place placeOf(const FilteredBatch& batch) {
  const unsigned blocksOfImage = (batch.pixels() + kThreads - 1) / kThreads;
  return {blockIdx.x / blocksOfImage, static_cast<int>(blockIdx.x % blocksOfImage * kThreads + threadIdx.x)};
}

template <bool isAcross>
__global__ void __launch_bounds__(kThreads) blur(FilteredBatch batch, uint8_t* scratch, int64_t scratchStride) {
  const auto [image, at] = placeOf(batch);
  const float deviation = batch.parametersOf(image).blur();
  if (!(deviation > 0)) return;
  const int radius = blurRadius(deviation);
  __shared__ float weights[kLargestRadius + 1];
  if (threadIdx.x <= radius) weights[threadIdx.x] = blurWeight(threadIdx.x, deviation);
  __syncthreads();
  if (at >= batch.pixels()) return;
  float total = weights[0];
  for (int k = 1; k <= radius; k++) total += 2 * weights[k];
  float* const between = reinterpret_cast<float*>(scratch + image * scratchStride);
  const float* const from = isAcross ? batch.image(image) : between;
  float* const to = (isAcross ? between : batch.image(image)) + int64_t{at} * 3;
  const int x = at % batch.width, y = at / batch.width;
  float sums[3] = {};
  for (int k = -radius; k <= radius; k++) {
    const int column = isAcross ? reflected(x + k, batch.width) : x, row = isAcross ? y : reflected(y + k, batch.height);
    const float* const pixel = from + (int64_t{row} * batch.width + column) * 3;
    const float weight = weights[k < 0 ? -k : k] / total;
    for (int channel = 0; channel < 3; channel++) sums[channel] += weight * pixel[channel];
  }
  for (int channel = 0; channel < 3; channel++) to[channel] = sums[channel];
}

constexpr int kBlocksOfMacroBlock = 6;  // four of luma, one of each color

// One product of the cosine transform: each value is a sum of eight along its row or column, of the block before.
template <bool isInverse, bool isAlongRows>
__device__ __forceinline__ void transform(const float (*from)[kBlockSize], float (*to)[kBlockSize], const float* basis) {
  for (int i = threadIdx.x; i < kBlocksOfMacroBlock * kBlockSize; i += kThreads) {
    const int block = i / kBlockSize, row = i % kBlockSize / kBlock, column = i % kBlock, place = isAlongRows ? column : row;
    float sum = 0;
    for (int k = 0; k < kBlock; k++) {
      const float value = from[block][isAlongRows ? row * kBlock + k : k * kBlock + column];
      sum += value * (isInverse ? basis[k * kBlock + place] : basis[place * kBlock + k]);
    }
    to[block][i % kBlockSize] = sum;
  }
  __syncthreads();
}

// A block of threads takes 16 by 16 pixels.
__global__ void __launch_bounds__(kThreads) compress(FilteredBatch batch, uint8_t* scratch, int64_t scratchStride) {
  static_assert(kThreads == kMacroBlock * kMacroBlock, "one thread per pixel");
  const int across = JpegPlanes::padded(batch.width) / kMacroBlock, down = JpegPlanes::padded(batch.height) / kMacroBlock;
  const unsigned image = blockIdx.x / (across * down);
  const int quality = batch.parametersOf(image).quality();
  if (quality <= 0) return;
  const int left = blockIdx.x % across * kMacroBlock, top = blockIdx.x / across % down * kMacroBlock;
  const int localX = threadIdx.x % kMacroBlock, localY = threadIdx.x / kMacroBlock;

  __shared__ float basis[kBlockSize], values[kBlocksOfMacroBlock][kBlockSize], others[kBlocksOfMacroBlock][kBlockSize];
  __shared__ int blues[kThreads], reds[kThreads];
  if (threadIdx.x < kBlockSize) basis[threadIdx.x] = cosineBasis(threadIdx.x / kBlock, threadIdx.x % kBlock);
  // Columns beyond the image repeat its last pixel, rows its last row; a color's rows its own last row.
  const auto colorsAt = [&](int x, int y) {
    const float* const pixel = batch.image(image) + (int64_t{min(y, batch.height - 1)} * batch.width + min(x, batch.width - 1)) * 3;
    return lumaColorsOf(batch.byteOf(pixel[0], 0), batch.byteOf(pixel[1], 1), batch.byteOf(pixel[2], 2));
  };
  values[localY / kBlock * 2 + localX / kBlock][localY % kBlock * kBlock + localX % kBlock] = static_cast<float>(colorsAt(left + localX, top + localY).luma - 128);
  const int colorRow = min(top / 2 + localY / 2, (batch.height + 1) / 2 - 1);
  const auto colors = colorsAt(left + localX, 2 * colorRow + localY % 2);
  blues[threadIdx.x] = colors.blue;
  reds[threadIdx.x] = colors.red;
  __syncthreads();
  if (threadIdx.x < kBlockSize) {
    const int column = threadIdx.x % kBlock, first = threadIdx.x / kBlock * 2 * kMacroBlock + column * 2;
    const auto meanOf = [&](const int* plane) {
      return meanOfFour(plane[first] + plane[first + 1] + plane[first + kMacroBlock] + plane[first + kMacroBlock + 1], column) - 128.0f;
    };
    values[4][threadIdx.x] = meanOf(blues);
    values[5][threadIdx.x] = meanOf(reds);
  }
  __syncthreads();

  transform<false, true>(values, others, basis);
  transform<false, false>(others, values, basis);
  for (int i = threadIdx.x; i < kBlocksOfMacroBlock * kBlockSize; i += kThreads) {
    const int block = i / kBlockSize, at = i % kBlockSize;
    values[block][at] = quantized(values[block][at], quantizationStep(kTables[block < 4 ? 0 : 1][at], quality));
  }
  __syncthreads();
  transform<true, true>(values, others, basis);
  transform<true, false>(others, values, basis);

  const auto planes = JpegPlanes::at(scratch + image * scratchStride, batch.height, batch.width);
  for (int i = threadIdx.x; i < kBlocksOfMacroBlock * kBlockSize; i += kThreads) {
    const int block = i / kBlockSize, row = i % kBlockSize / kBlock, column = i % kBlock;
    const auto byte = static_cast<uint8_t>(wholeByte(values[block][i % kBlockSize] + 128));
    if (block < 4) planes.luma[int64_t{top + block / 2 * kBlock + row} * planes.stride + left + block % 2 * kBlock + column] = byte;
    else (block == 4 ? planes.blue : planes.red)[int64_t{top / 2 + row} * (planes.stride / 2) + left / 2 + column] = byte;
  }
}

__global__ void __launch_bounds__(kThreads) decodeAndErase(FilteredBatch batch, uint8_t* scratch, int64_t scratchStride) {
  const auto [image, at] = placeOf(batch);
  const auto parameters = batch.parametersOf(image);
  if (!parameters.isFiltered() || at >= batch.pixels()) return;
  const int x = at % batch.width, y = at / batch.width;
  float* const pixel = batch.image(image) + int64_t{at} * 3;
  if (parameters.quality() > 0) {
    const auto planes = JpegPlanes::at(scratch + image * scratchStride, batch.height, batch.width);
    const int half = planes.stride / 2, column = x / 2, beside = besideOf(x, (batch.width + 1) / 2);
    const int64_t row = int64_t{y / 2} * half, below = int64_t{besideOf(y, (batch.height + 1) / 2)} * half;
    const auto colorOf = [&](const uint8_t* plane) {
      return enlargedAcross(enlargedDown(plane[row + column], plane[below + column]), enlargedDown(plane[row + beside], plane[below + beside]), x);
    };
    decodedPixel(planes.luma[int64_t{y} * planes.stride + x], colorOf(planes.blue), colorOf(planes.red),
                 [&](int channel, float byte) { pixel[channel] = batch.normalized(byte, channel); });
  }
  if (parameters.erases(x, y)) pixel[0] = pixel[1] = pixel[2] = 0;
}

}  // namespace

int64_t filterScratchBytes(const FilteredBatch& batch) { return batch.count * scratchOfImage(batch); }

cudaError_t launchFilterImages(const FilteredBatch& batch, void* scratch, cudaStream_t stream) {
  if (batch.count == 0 || batch.pixels() == 0) return cudaSuccess;
  const int64_t stride = scratchOfImage(batch);
  auto* const bytes = static_cast<uint8_t*>(scratch);
  const auto ofPixels = static_cast<unsigned>(batch.count * ((batch.pixels() + kThreads - 1) / kThreads));
  const auto ofMacroBlocks = static_cast<unsigned>(batch.count * (JpegPlanes::padded(batch.width) / kMacroBlock) * (JpegPlanes::padded(batch.height) / kMacroBlock));
  blur<true><<<ofPixels, kThreads, 0, stream>>>(batch, bytes, stride);
  blur<false><<<ofPixels, kThreads, 0, stream>>>(batch, bytes, stride);
  compress<<<ofMacroBlocks, kThreads, 0, stream>>>(batch, bytes, stride);
  decodeAndErase<<<ofPixels, kThreads, 0, stream>>>(batch, bytes, stride);
  return cudaGetLastError();
}

}  // namespace anyclass
