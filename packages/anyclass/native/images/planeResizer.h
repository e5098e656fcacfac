// Resizes one plane of a picture, whose rows come one after another. The rows of the result come in groups, so that those of
// several planes are still in the processor's cache when they are converted to pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axisWeights.h"

namespace images {

class PlaneResizer {
 public:
  // The number of rows of the result in a group: those that vectors hold together.
  static constexpr int groupRows = 16;

  // `rowBytes` is the size of a row of the source as written, including what a decoder adds to the right of its samples.
  // `rowsAhead` is how many rows are written at a time. A row of the result may have to wait for another plane until the
  // next time.
  PlaneResizer(std::shared_ptr<const AxisWeights> across, std::shared_ptr<const AxisWeights> down, size_t rowBytes,
               int rowsAhead);

  // Returns where to write row `y` of the source.
  uint8_t* row(int y) { return rows.data() + static_cast<size_t>(y % rowsHeld) * rowBytes; }

  // Returns whether row `y` of the result needs only the first `rowsWritten` rows of the source.
  bool isReady(int y, int rowsWritten) const { return down->spans[y].first + down->spans[y].count <= rowsWritten; }

  // Makes row `y` of the result from rows of the source, not yet resized horizontally. Rows must be made in order.
  void combineRows(int y);

  // Resizes the combined rows of a group horizontally. Returns them `groupStride()` apart, in 1/256 of a gray level.
  const uint16_t* resizeGroup();
  size_t groupStride() const { return resizedStride; }

 private:
  std::shared_ptr<const AxisWeights> across, down;
  size_t rowBytes, combinedStride, resizedStride;
  int rowsHeld;
  std::vector<uint8_t> rows;       // the last rows of the source, as a ring
  std::vector<uint16_t> combined;  // rows of a group
  std::vector<uint16_t> columns;   // the same by columns
  std::vector<uint16_t> resizedColumns;
  std::vector<uint16_t> resized;  // by rows again
};

}  // namespace images
