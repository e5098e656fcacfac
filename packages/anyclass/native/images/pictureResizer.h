// Resizes the planes of a picture side by side and makes pixels of them.
#pragma once

#include <cstdint>
#include <vector>

#include "jpeg.h"
#include "planeResizer.h"

namespace images {

class PictureResizer {
 public:
  std::vector<PlaneResizer> planes;

  // Of one plane, gray; of three, RGB or YCbCr, which become gray where one channel is wanted.
  PictureResizer(std::vector<PlaneResizer> planes, bool isYCbCr, const PixelFormat& wanted);

  // Called with the number of rows written to each plane so far: makes all rows of the result that need no others.
  void take(const int* rowsWritten, uint8_t* out);

 private:
  bool isReady(const int* rowsWritten) const;
  void makePixels(int firstRow, uint8_t* out);

  bool isYCbCr;
  PixelFormat wanted;
  int finished = 0;  // rows of the result
};

}  // namespace images
