// The loops over labels that the compiler turns into vector instructions.
#pragma once

#include "rows.h"

namespace anyclass {

// Computes the base loss of each label; 0 where the target is NaN.
void labelLosses(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* losses);

// Computes the slope of the base loss at each label; undefined where the target is NaN.
void labelSlopes(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* slopes);

// Returns the sums of one row. Class weights may be null.
RowSums sumRow(const float* logits, const float* targets, const float* losses, const float* classWeights, int64_t classes);

// Computes the gradient of one row from the slopes of its labels, in place.
void rowGradient(const float* targets, const RowSlopes& row, float scale, int64_t classes, float* slopes);

}  // namespace anyclass
