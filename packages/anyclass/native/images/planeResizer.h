// Resizes one plane of a picture, whose rows come one after another. The rows of the result come in groups, so that those of
// several planes are still in the processor's cache when pixels are made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axisWeights.h"

namespace images {

class PlaneResizer {
 public:
  // How many rows of the result make a group: those that vectors hold side by side.
  static constexpr int groupRows = 16;

  // `rowBytes`: what a row of the source takes when it is written, with what a decoder adds to the right of its samples.
  // `rowsAhead`: how many rows are written at a time. A row of the result may wait for another plane one time longer.
  PlaneResizer(std::shared_ptr<const AxisWeights> across, std::shared_ptr<const AxisWeights> down, size_t rowBytes,
               int rowsAhead);

  // Where to write row `y` of the source.
  uint8_t* row(int y) { return rows.data() + static_cast<size_t>(y % rowsHeld) * rowBytes; }

  // Whether row `y` of the result needs no more than the first `rowsWritten` rows of the source.
  bool isReady(int y, int rowsWritten) const { return down->spans[y].first + down->spans[y].count <= rowsWritten; }

  // Makes row `y` of the result from rows of the source, not yet resized along; each in its turn.
  void combineRows(int y);

  // Resizes the combined rows of a group along. Gives them `groupStride()` apart, in 1/256 of a gray level.
  const uint16_t* resizeGroup();
  size_t groupStride() const { return resizedStride; }

 private:
  std::shared_ptr<const AxisWeights> across, down;
  size_t rowBytes, combinedStride, resizedStride;
  int rowsHeld;
  std::vector<uint8_t> rows;       // the last rows of the source, in turn
  std::vector<uint16_t> combined;  // rows of a group
  std::vector<uint16_t> columns;   // the same by columns
  std::vector<uint16_t> resizedColumns;
  std::vector<uint16_t> resized;  // by rows again
};

}  // namespace images
