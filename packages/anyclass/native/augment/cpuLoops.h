// The loops over pixels that the compiler turns into vector instructions.
#pragma once

#include "imageBatch.h"

namespace anyclass {

// Returns the mean gray of an image right before its contrast changes; 0 if its contrast does not change.
float meanGray(const InputBatch& batch, int64_t image);

// Computes one of the result's count · height rows, from pixels to normalized values, three per pixel.
void augmentRow(const InputBatch& batch, int64_t row, float meanGray, float* result);

}  // namespace anyclass
