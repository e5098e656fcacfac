#include "pictureResizer.h"

#include <utility>

#include "colors.h"

namespace images {

PictureResizer::PictureResizer(std::vector<PlaneResizer> planes, bool isYCbCr, const PixelFormat& wanted)
    : planes(std::move(planes)), isYCbCr(isYCbCr), wanted(wanted) {}

void PictureResizer::take(const int* rowsWritten, uint8_t* out) {
  constexpr int groupRows = PlaneResizer::groupRows;
  while (finished < wanted.height && isReady(rowsWritten)) {
    for (auto& plane : planes) plane.combineRows(finished);
    finished++;
    if (finished % groupRows == 0 || finished == wanted.height) makePixels((finished - 1) / groupRows * groupRows, out);
  }
}

bool PictureResizer::isReady(const int* rowsWritten) const {
  for (size_t c = 0; c < planes.size(); c++) {
    if (!planes[c].isReady(finished, rowsWritten[c])) return false;
  }
  return true;
}

void PictureResizer::makePixels(int firstRow, uint8_t* out) {
  const uint16_t* rows[3];
  for (size_t c = 0; c < planes.size(); c++) rows[c] = planes[c].resizeGroup();
  const size_t stride = planes[0].groupStride();  // the same for all planes, which have the same width
  for (int y = firstRow; y < finished; y++) {
    uint8_t* const pixels = out + static_cast<size_t>(y) * wanted.width * wanted.channels;
    if (planes.size() == 1) grayPixels(rows[0], wanted.width, pixels);
    else if (wanted.channels == 1) (isYCbCr ? grayOfYCbCr : grayOfRgb)(rows[0], rows[1], rows[2], wanted.width, pixels);
    else (isYCbCr ? pixelsOfYCbCr : pixelsOfRgb)(rows[0], rows[1], rows[2], wanted.width, pixels);
    for (size_t c = 0; c < planes.size(); c++) rows[c] += stride;
  }
}

}  // namespace images
