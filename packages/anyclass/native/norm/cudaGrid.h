// How the threads of a GPU share a batch of rows of channels.
//
// Each thread handles the same few channels, one pack of up to 16 bytes, and walks down the rows; the threads of a block
// take `columns` neighboring packs of `lines` rows at once. If a row is not a multiple of 16 bytes, 2, 4 or 8 rows are treated
// as one long row that is: with 76 channels of bfloat16, pairs of rows with 152 elements.
#pragma once

#include <algorithm>
#include <numeric>

#include "../shared/cudaElements.h"
#include "cudaBatchNormKernels.h"

namespace anyclass {

constexpr int kNormThreads = 512;
constexpr int kTileColumns = 32;  // wider rows are split among blocks, so that each has few results to sum

struct NormGrid {
  int64_t rows;  // long ones
  int64_t rowLength;  // in elements
  int64_t channels, known;
  int packs, columns, tiles, lines, blocks;

  dim3 grid() const { return dim3(blocks, tiles); }
  int threads() const { return columns * lines; }
};

// Returns the grid for packs of `width` elements, without rows if such packs are not possible. Each thread gets `leastRows` or more: merging the results
// of many blocks would take longer than a reduction of a small map.
inline NormGrid normGrid(const NormShape& shape, int width, int multiprocessors, int blocksPerMultiprocessor, int leastRows = 1) {
  const int64_t fold = width / std::gcd(shape.channels, int64_t{width});
  const int64_t packs = shape.channels * fold / width;
  // A tile must contain all the parts of its channels.
  if (shape.rows % fold != 0 || (fold > 1 && packs > kNormThreads / 2)) return {};
  NormGrid grid{};
  grid.rows = shape.rows / fold;
  grid.rowLength = shape.channels * fold;
  grid.channels = shape.channels;
  grid.known = shape.known;
  grid.packs = static_cast<int>(packs);
  const int tiles = fold > 1 ? 1 : (grid.packs + kTileColumns - 1) / kTileColumns;
  grid.columns = (grid.packs + tiles - 1) / tiles;
  grid.tiles = (grid.packs + grid.columns - 1) / grid.columns;
  grid.lines = kNormThreads / grid.columns;
  const int64_t rowsOfBlock = int64_t{grid.lines} * leastRows, wanted = (grid.rows + rowsOfBlock - 1) / rowsOfBlock;
  grid.blocks = static_cast<int>(std::clamp<int64_t>(multiprocessors * blocksPerMultiprocessor / grid.tiles, 1, wanted));
  return grid;
}

// The position of a thread.
struct NormPlace {
  int column, line;  // within the block
  int pack;  // within the row
  bool isInside;  // the last tile may be wider than the rest of the row
  int64_t firstRow, rowStep;

  __device__ __forceinline__ explicit NormPlace(const NormGrid& grid) {
    column = threadIdx.x % grid.columns;
    line = threadIdx.x / grid.columns;
    pack = blockIdx.y * grid.columns + column;
    isInside = pack < grid.packs;
    firstRow = int64_t{blockIdx.x} * grid.lines + line;
    rowStep = int64_t{gridDim.x} * grid.lines;
  }
};

// Returns the number of rows that a block handles.
__device__ __forceinline__ int64_t rowsOfBlock(const NormGrid& grid, int block) {
  const int64_t round = int64_t{gridDim.x} * grid.lines;
  const int64_t rest = grid.rows % round - int64_t{block} * grid.lines;
  return grid.rows / round * grid.lines + (rest < 0 ? 0 : rest < grid.lines ? rest : grid.lines);
}

// Calls `work` with the positions of `inFlight` packs at a time, then with the remaining ones one by one.
template <int inFlight, typename Work>
__device__ __forceinline__ void forEachRow(const NormGrid& grid, const NormPlace& place, int width, bool descending, Work work) {
  if (!place.isInside) return;
  const int64_t column = int64_t{place.pack} * width;
  const auto positionOf = [&](int64_t row) { return (descending ? grid.rows - 1 - row : row) * grid.rowLength + column; };
  int64_t row = place.firstRow;
  for (; row + (inFlight - 1) * place.rowStep < grid.rows; row += inFlight * place.rowStep) {
    int64_t positions[inFlight];
#pragma unroll
    for (int i = 0; i < inFlight; i++) positions[i] = positionOf(row + i * place.rowStep);
    work(positions);
  }
  for (; row < grid.rows; row += place.rowStep) {
    const int64_t positions[1] = {positionOf(row)};
    work(positions);
  }
}

// The values of a thread's channels: `otherwise` without values, 0 for channels that only pad the maps.
template <int width>
__device__ __forceinline__ Pack<float, width> ofChannels(const float* values, const NormGrid& grid, const NormPlace& place, float otherwise = 0) {
  Pack<float, width> pack{};
  if (!place.isInside) return pack;
  int64_t channel = int64_t{place.pack} * width % grid.channels;
  if constexpr (width % 4 == 0) {
    // One load for four channels, wherever they are in one row of 16 bytes.
    if (values != nullptr && channel + width <= grid.known && reinterpret_cast<uintptr_t>(values + channel) % 16 == 0) {
#pragma unroll
      for (int k = 0; k < width; k += 4) {
        const float4 four = *reinterpret_cast<const float4*>(values + channel + k);
        pack.values[k] = four.x, pack.values[k + 1] = four.y, pack.values[k + 2] = four.z, pack.values[k + 3] = four.w;
      }
      return pack;
    }
  }
#pragma unroll
  for (int k = 0; k < width; k++) {
    pack.values[k] = channel >= grid.known ? 0 : values == nullptr ? otherwise : values[channel];
    channel = channel + 1 == grid.channels ? 0 : channel + 1;
  }
  return pack;
}

}  // namespace anyclass
