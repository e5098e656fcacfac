// The loops over pixels that the compiler turns into vector instructions.
#pragma once

#include "imageBatch.h"

namespace anyclass {

// The mean gray of an image as it is before its contrast changes; 0 where that does not.
float meanGray(const ImageBatch& batch, int64_t image);

// One of the batch's count · height rows, from its pixels to normalized values, three a pixel.
void augmentRow(const ImageBatch& batch, int64_t row, float meanGray, float* result);

}  // namespace anyclass
