// Resizes the planes of a picture together and converts them to pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "jpeg.h"
#include "planeResizer.h"

namespace images {

class PictureResizer {
 public:
  std::vector<PlaneResizer> planes;

  // One plane is gray; three are RGB or YCbCr, and become gray if one channel is wanted.
  PictureResizer(std::vector<PlaneResizer> planes, bool isYCbCr, const PixelFormat& wanted);

  // Takes the number of rows written to each plane so far, and makes all rows of the result that need no further ones.
  void take(const int* rowsWritten, uint8_t* out);

 private:
  bool isReady(const int* rowsWritten) const;
  void makePixels(int firstRow, uint8_t* out);

  bool isYCbCr;
  PixelFormat wanted;
  int finished = 0;  // rows of the result
};

}  // namespace images
