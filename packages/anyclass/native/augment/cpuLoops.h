// The loops over pixels that the compiler turns into vector instructions.
#pragma once

#include "imageBatch.h"

namespace anyclass {

// Returns the mean gray of an image right before its contrast changes; 0 if its contrast does not change. If the image is moved too, which is slow, leaves the
// moved pixels in `result`, which has room for all images, for augmentRow.
float meanGray(const InputBatch& batch, int64_t image, float* result);

// Computes one of the result's count · height rows, from pixels to normalized values, three per pixel. `result` is where that row begins.
void augmentRow(const InputBatch& batch, int64_t row, float meanGray, float* result);

}  // namespace anyclass
