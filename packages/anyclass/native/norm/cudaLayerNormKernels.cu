// Layer norm and the residual before it, in one pass over the tokens each for forward and backward. The 2 to 32 lanes that
// share a token keep its values in registers, so that mean and variance need no second read; a lane handles the same columns
// of all its tokens, and sums the gradients of their weights as it goes.
#include "cudaLayerNormKernels.h"

#include <algorithm>

#include "../shared/cudaColumnSums.h"
#include "../shared/cudaElements.h"

namespace anyclass {
namespace {

constexpr int kPack = 8, kPacks = 3, kValues = kPack * kPacks;  // per lane: 32 lanes have kMostChannels
constexpr int kForwardThreads = 256, kBackwardThreads = 128, kBackwardWarps = kBackwardThreads / 32;
constexpr int kForwardBlocks = 4, kBackwardBlocks = 3;  // per multiprocessor
constexpr unsigned kWholeWarp = 0xffffffff;
static_assert(32 * kValues == kMostChannels);

struct TokenGrid {
  int64_t rows, rowsPerImage;
  int channels, lanes;
};

struct TokenPlace {
  int lane, channels, lanes;
  int64_t firstRow, rowStep;  // of the warp's first token; all lanes of a warp make the same number of steps
  int rowOfWarp;

  __device__ __forceinline__ explicit TokenPlace(const TokenGrid& grid) {
    const int rowsOfWarp = 32 / grid.lanes, warps = blockDim.x / 32;
    lane = threadIdx.x % grid.lanes;
    channels = grid.channels;
    lanes = grid.lanes;
    rowOfWarp = threadIdx.x % 32 / grid.lanes;
    firstRow = (int64_t{blockIdx.x} * warps + threadIdx.x / 32) * rowsOfWarp;
    rowStep = int64_t{gridDim.x} * warps * rowsOfWarp;
  }

  __device__ __forceinline__ int column(int pack) const { return (pack * lanes + lane) * kPack; }
  __device__ __forceinline__ bool has(int pack) const { return column(pack) < channels; }
};

template <typename T>
struct Packs {
  Pack<T, kPack> packs[kPacks];

  __device__ __forceinline__ void read(const void* from, int64_t row, const TokenPlace& place, bool isInside) {
#pragma unroll
    for (int p = 0; p < kPacks; p++) packs[p] = isInside && place.has(p) ? load<T, kPack>(from, row * place.channels + place.column(p)) : Pack<T, kPack>{};
  }
  __device__ __forceinline__ void write(void* to, int64_t row, const TokenPlace& place, bool isInside) const {
#pragma unroll
    for (int p = 0; p < kPacks; p++) {
      if (isInside && place.has(p)) store(to, row * place.channels + place.column(p), packs[p]);
    }
  }
  __device__ __forceinline__ float get(int i) const { return toFloat(packs[i / kPack].values[i % kPack]); }
  __device__ __forceinline__ void set(int i, float value) { packs[i / kPack].values[i % kPack] = fromFloat<T>(value); }
};

// Returns the sum over the lanes that share a token.
__device__ __forceinline__ float sumOfToken(float value, int lanes) {
  for (int offset = lanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kWholeWarp, value, offset);
  return value;
}

__device__ __forceinline__ int64_t rowInOrder(const SquareOrder& order, int64_t row) {
  if (order.side == 0) return row;
  const unsigned side = order.side, rows = order.height / side, columns = order.width / side;
  const unsigned pixel = row % (order.height * order.width);
  const unsigned y = (pixel / order.width + order.height - order.shift) % order.height, x = (pixel + order.width - order.shift) % order.width;
  const int64_t image = row - pixel;
  const unsigned squareY = order.grid ? y % rows : y / side, insideY = order.grid ? y / rows : y % side;
  const unsigned squareX = order.grid ? x % columns : x / side, insideX = order.grid ? x / columns : x % side;
  return image + ((squareY * columns + squareX) * side + insideY) * side + insideX;
}

template <typename Stream, typename Branch>
__global__ void __launch_bounds__(kForwardThreads) forwardKernel(const TokenGrid grid, const LayerNormInput input, void* __restrict__ sum,
                                                                 const LayerNormStatistics statistics, void* __restrict__ output) {
  const TokenPlace place(grid);
  Packs<float> weight, bias;
  weight.read(input.weight, 0, place, true);
  bias.read(input.bias, 0, place, true);
  for (int64_t first = place.firstRow; first < grid.rows; first += place.rowStep) {
    const int64_t row = first + place.rowOfWarp;
    const bool isInside = row < grid.rows;
    Packs<Stream> x;
    x.read(input.stream, row, place, isInside);
    if (input.branch) {
      Packs<Branch> branch;
      branch.read(input.branch, rowInOrder(input.branchOrder, row), place, isInside);
      const float scale = input.scale && isInside ? input.scale[row / grid.rowsPerImage] : 1.0f;
#pragma unroll
      for (int i = 0; i < kValues; i++) x.set(i, fmaf(branch.get(i), scale, x.get(i)));
      x.write(sum, row, place, isInside);
    }
    if (input.shift) {
      Packs<float> shift;
      shift.read(input.shift, 0, place, true);
#pragma unroll
      for (int i = 0; i < kValues; i++) x.set(i, x.get(i) + shift.get(i));
    }
    float total = 0;
#pragma unroll
    for (int i = 0; i < kValues; i++) total += x.get(i);
    const float mean = sumOfToken(total, grid.lanes) / grid.channels;
    float squares = 0;
#pragma unroll
    for (int i = 0; i < kValues; i++) {
      const float difference = place.has(i / kPack) ? x.get(i) - mean : 0.0f;
      squares = fmaf(difference, difference, squares);
    }
    const float inverseDeviation = rsqrtf(sumOfToken(squares, grid.lanes) / grid.channels + input.eps);
    Packs<Branch> normed;
#pragma unroll
    for (int i = 0; i < kValues; i++) normed.set(i, fmaf((x.get(i) - mean) * inverseDeviation, weight.get(i), bias.get(i)));
    normed.write(output, rowInOrder(input.outputOrder, row), place, isInside);
    if (isInside && place.lane == 0) {
      statistics.mean[row] = mean;
      statistics.inverseDeviation[row] = inverseDeviation;
    }
  }
}

// Sums the results of the lanes with the same columns, over the warp and the block, in a fixed order.
__device__ __forceinline__ void mergeBlock(const float (&ofWeight)[kValues], const float (&ofBias)[kValues], const TokenPlace& place, float* __restrict__ partials) {
  __shared__ float ofWarps[kBackwardWarps][2 * kMostChannels];
#pragma unroll
  for (int i = 0; i < kValues; i++) {
    float weight = ofWeight[i], bias = ofBias[i];
    for (int offset = place.lanes; offset < 32; offset *= 2) {
      weight += __shfl_xor_sync(kWholeWarp, weight, offset);
      bias += __shfl_xor_sync(kWholeWarp, bias, offset);
    }
    if (place.rowOfWarp == 0 && place.has(i / kPack)) {
      const int column = place.column(i / kPack) + i % kPack;
      ofWarps[threadIdx.x / 32][column] = weight;
      ofWarps[threadIdx.x / 32][place.channels + column] = bias;
    }
  }
  __syncthreads();
  for (int column = threadIdx.x; column < 2 * place.channels; column += kBackwardThreads) {
    float total = 0;
#pragma unroll
    for (int warp = 0; warp < kBackwardWarps; warp++) total += ofWarps[warp][column];
    partials[int64_t{blockIdx.x} * 2 * place.channels + column] = total;
  }
}

// dx = (g - mean of g - x̂ · mean of g x̂) / deviation, with g = weight · dy and x̂ = (x - mean) / deviation.
template <typename Stream, typename Branch>
__global__ void __launch_bounds__(kBackwardThreads, kBackwardBlocks)
    backwardKernel(const TokenGrid grid, const LayerNormInput input, const LayerNormStatistics statistics, const LayerNormGradients gradients) {
  const TokenPlace place(grid);
  Packs<float> weight;
  weight.read(input.weight, 0, place, true);
  float ofWeight[kValues] = {}, ofBias[kValues] = {};
  for (int64_t first = place.firstRow; first < grid.rows; first += place.rowStep) {
    const int64_t row = first + place.rowOfWarp;
    const bool isInside = row < grid.rows;
    Packs<Stream> x, ofSum;
    Packs<Branch> dy;
    x.read(input.stream, row, place, isInside);
    dy.read(gradients.ofOutput, rowInOrder(input.outputOrder, row), place, isInside);
    ofSum.read(gradients.ofSum, row, place, isInside && gradients.ofSum);
    const float mean = isInside ? statistics.mean[row] : 0.0f, inverseDeviation = isInside ? statistics.inverseDeviation[row] : 0.0f;
    float total = 0, product = 0;
#pragma unroll
    for (int i = 0; i < kValues; i++) {
      const float normed = (x.get(i) - mean) * inverseDeviation, weighed = dy.get(i) * weight.get(i);
      ofWeight[i] = fmaf(dy.get(i), normed, ofWeight[i]);
      ofBias[i] += dy.get(i);
      total += weighed;
      product = fmaf(weighed, normed, product);
    }
    const float shift = sumOfToken(total, grid.lanes) / grid.channels, slope = sumOfToken(product, grid.lanes) / grid.channels;
#pragma unroll
    for (int i = 0; i < kValues; i++) {
      const float normed = (x.get(i) - mean) * inverseDeviation;
      ofSum.set(i, fmaf(dy.get(i) * weight.get(i) - shift - normed * slope, inverseDeviation, ofSum.get(i)));
    }
    ofSum.write(gradients.stream, row, place, isInside);
    if (gradients.branch) {
      const float scale = input.scale && isInside ? input.scale[row / grid.rowsPerImage] : 1.0f;
#pragma unroll
      for (int i = 0; i < kValues; i++) dy.set(i, ofSum.get(i) * scale);
      dy.write(gradients.branch, rowInOrder(input.branchOrder, row), place, isInside);
    }
  }
  mergeBlock(ofWeight, ofBias, place, gradients.partials);
}

TokenGrid gridOf(const TokenShape& shape) {
  int lanes = 1;
  while (lanes * kValues < shape.channels) lanes *= 2;
  return {shape.rows, shape.rowsPerImage, shape.channels, lanes};
}

int blocksFor(const TokenShape& shape, int threads, int blocksPerMultiprocessor) {
  const int64_t rowsOfBlock = threads / gridOf(shape).lanes;
  return static_cast<int>(std::clamp<int64_t>((shape.rows + rowsOfBlock - 1) / rowsOfBlock, 1, multiprocessors() * blocksPerMultiprocessor));
}

template <typename Launch>
cudaError_t withTypes(const TokenShape& shape, Launch launch) {
  const auto withBranch = [&](auto branch) { return shape.stream == ElementType::float32 ? launch(float(), branch) : launch(branch, branch); };
  switch (shape.branch) {
    case ElementType::float32: withBranch(float()); break;
    case ElementType::float16: withBranch(__half()); break;
    case ElementType::bfloat16: withBranch(__nv_bfloat16()); break;
  }
  return cudaGetLastError();
}

}  // namespace

size_t layerNormScratch(const TokenShape& shape) { return size_t{2} * shape.channels * blocksFor(shape, kBackwardThreads, kBackwardBlocks); }

cudaError_t launchLayerNormForward(const TokenShape& shape, const LayerNormInput& input, void* sum, const LayerNormStatistics& statistics, void* output,
                                   cudaStream_t stream) {
  const int blocks = blocksFor(shape, kForwardThreads, kForwardBlocks);
  return withTypes(shape, [&](auto element, auto branch) {
    forwardKernel<decltype(element), decltype(branch)><<<blocks, kForwardThreads, 0, stream>>>(gridOf(shape), input, sum, statistics, output);
  });
}

cudaError_t launchLayerNormBackward(const TokenShape& shape, const LayerNormInput& input, const LayerNormStatistics& statistics, const LayerNormGradients& gradients,
                                    cudaStream_t stream) {
  const int blocks = blocksFor(shape, kBackwardThreads, kBackwardBlocks), columns = 2 * shape.channels;
  return withTypes(shape, [&](auto element, auto branch) {
    backwardKernel<decltype(element), decltype(branch)><<<blocks, kBackwardThreads, 0, stream>>>(gridOf(shape), input, statistics, gradients);
    launchColumnSums(gradients.partials, blocks, columns, gradients.parameters, stream);
  });
}

}  // namespace anyclass
