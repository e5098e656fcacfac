// The loops over labels that the compiler turns into vector instructions.
#pragma once

#include "rows.h"

namespace anyclass {

// The base loss of each label; 0 where the target is NaN.
void labelLosses(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* losses);

// The base loss's slope at each label; anything where the target is NaN.
void labelSlopes(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* slopes);

// One row's sums. Class weights may be null.
RowSums sumRow(const float* logits, const float* targets, const float* losses, const float* classWeights, int64_t classes);

// The gradient of one row from the slopes of its labels, in place.
void rowGradient(const float* targets, const RowSlopes& row, float scale, int64_t classes, float* slopes);

}  // namespace anyclass
