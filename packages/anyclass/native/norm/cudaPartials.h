// What a thread sums over its rows, and how the results of all threads are merged: lines of a block in pairs, then blocks,
// then the parts of a long row. The order is fixed, so that the same input gives the same bits.
#pragma once

#include "cudaGrid.h"

namespace anyclass {

// Mean and sum of squared differences from it. Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances" (1979): unlike the mean of squares minus the square of the mean, this has no cancellation.
template <int width>
struct Moments {
  float count, first[width], second[width];

  // The differences are from the mean so far, at first from one of the values; the sum includes the correction for that.
  template <typename T, int rows>
  __device__ __forceinline__ void add(const Pack<T, width> (&packs)[rows]) {
    if (count == 0) {
#pragma unroll
      for (int k = 0; k < width; k++) first[k] = toFloat(packs[0].values[k]);
    }
    count += rows;
    const float share = 1 / count;
#pragma unroll
    for (int k = 0; k < width; k++) {
      float sum = 0, squares = 0;
#pragma unroll
      for (int i = 0; i < rows; i++) {
        const float difference = toFloat(packs[i].values[k]) - first[k];
        sum += difference;
        squares = fmaf(difference, difference, squares);
      }
      const float step = sum * share;
      first[k] += step;
      second[k] += fmaf(-sum, step, squares);
    }
  }

  __device__ __forceinline__ void merge(const Moments& other) {
    if (other.count == 0) return;
    const float total = count + other.count, share = other.count / total;
#pragma unroll
    for (int k = 0; k < width; k++) {
      const float difference = other.first[k] - first[k];
      first[k] = fmaf(difference, share, first[k]);
      second[k] += fmaf(difference * difference, count * share, other.second[k]);
    }
    count = total;
  }
};

// Sums of the gradient, and of the gradient times the input's difference from its mean. It has a count like the moments: an
// odd number of floats keeps the threads' results in different banks of shared memory.
template <int width>
struct Sums {
  float count, first[width], second[width];

  __device__ __forceinline__ void merge(const Sums& other) {
#pragma unroll
    for (int k = 0; k < width; k++) {
      first[k] += other.first[k];
      second[k] += other.second[k];
    }
    count += other.count;
  }
};

// Merges the results of a block into its first line.
template <typename Partial>
__device__ __forceinline__ void mergeLines(Partial& own, const NormGrid& grid, const NormPlace& place) {
  __shared__ Partial ofUpperHalf[kNormThreads / 2];
  for (int lines = grid.lines; lines > 1;) {
    const int half = (lines + 1) / 2;
    if (place.line >= half && place.line < lines) ofUpperHalf[threadIdx.x - half * grid.columns] = own;
    __syncthreads();
    if (place.line < lines - half) own.merge(ofUpperHalf[threadIdx.x]);
    __syncthreads();
    lines = half;
  }
}

// The results of the blocks in memory, in slices of up to four numbers, so that neighboring threads read neighboring bytes.
template <int width>
struct BlockResults {
  static constexpr int sliceWidth = width < 4 ? width : 4, slices = 2 * width / sliceWidth;
  float* memory;
  int64_t packs, pack;

  __device__ __forceinline__ float* slice(int block, int number) const { return memory + ((int64_t{block} * slices + number) * packs + pack) * sliceWidth; }

  template <typename Partial>
  __device__ __forceinline__ void write(int block, const Partial& partial) const {
#pragma unroll
    for (int i = 0; i < 2 * width; i++) slice(block, i / sliceWidth)[i % sliceWidth] = i < width ? partial.first[i % width] : partial.second[i % width];
  }

  // Bypasses the L1 cache, which does not see the writes of other blocks.
  template <typename Partial>
  __device__ __forceinline__ void read(int block, Partial& partial) const {
#pragma unroll
    for (int number = 0; number < slices; number++) {
      Pack<float, sliceWidth> values;
      if constexpr (sliceWidth == 4) {
        const float4 four = __ldcg(reinterpret_cast<const float4*>(slice(block, number)));
        values = {four.x, four.y, four.z, four.w};
      } else {
        values = {__ldcg(slice(block, number))};
      }
#pragma unroll
      for (int k = 0; k < sliceWidth; k++) {
        const int i = number * sliceWidth + k;
        (i < width ? partial.first : partial.second)[i % width] = values.values[k];
      }
    }
  }
};

// The last block of a tile to finish merges the results of the others and calls `finish` with the result of each channel.
template <template <int> class Partial, int width, typename Finish>
__device__ __forceinline__ void mergeBlocks(Partial<width>& own, const NormGrid& grid, const NormPlace& place, const NormScratch& scratch, Finish finish) {
  mergeLines(own, grid, place);
  const BlockResults<width> results{scratch.partials, grid.packs, place.pack};
  if (place.line == 0 && place.isInside) results.write(blockIdx.x, own);
  __shared__ bool isLast;
  __threadfence();
  __syncthreads();
  // atomicInc resets the counter to zero after the last block.
  if (threadIdx.x == 0) isLast = atomicInc(scratch.finished + blockIdx.y, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!isLast) return;
  __threadfence();

  own = {};
  if (place.isInside) {
#pragma unroll 4
    for (int block = place.line; block < gridDim.x; block += grid.lines) {
      Partial<width> other;
      other.count = rowsOfBlock(grid, block);
      results.read(block, other);
      own.merge(other);
    }
  }
  mergeLines(own, grid, place);

  __shared__ Partial<1> ofElements[kNormThreads / 2 * width];
  if (place.line == 0 && place.isInside) {
#pragma unroll
    for (int k = 0; k < width; k++) ofElements[place.column * width + k] = {own.count, {own.first[k]}, {own.second[k]}};
  }
  __syncthreads();
  const int64_t start = int64_t{blockIdx.y} * grid.columns * width;
  const int64_t left = grid.rowLength - start, length = left < grid.columns * width ? left : grid.columns * width;
  for (int64_t element = threadIdx.x; element < length && start + element < grid.channels; element += blockDim.x) {
    Partial<1> total = ofElements[element];
    for (int64_t next = element + grid.channels; next < length; next += grid.channels) total.merge(ofElements[next]);
    finish(start + element, total);
  }
}

}  // namespace anyclass
