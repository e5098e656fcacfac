// A batch as plain pointers, which the kernels get instead of tensors. This header includes nothing of ATen, so that nvcc
// does not have to parse it.
#pragma once

#include "../shared/elementType.h"
#include "rows.h"

namespace anyclass {

enum class TargetType { float32, uint8 };
enum class Reduction : int64_t { batch, mean, sum, none };

// Row-major and contiguous. A label is unknown if its target is NaN.
struct LossBatch {
  const void* logits;
  ElementType logitType;
  const void* targets;
  TargetType targetType;
  int64_t rows;
  int64_t classes;
};

struct ForwardOutput {
  float* loss;  // one, or one per row for Reduction::none
  float* counts;  // Σ y + negatives, and rows with a known label: the denominators of 'batch' and 'mean'
  RowSlopes* slopes;  // one per row
};

struct BackwardInput {
  const float* gradient;  // of the loss
  int64_t gradientStride;  // 0 if all rows share one gradient
  const float* counts;
  const RowSlopes* slopes;
};

// Returns the factor of a reduced loss, the reciprocal of its denominator. A batch without a known label has loss 0.
template <typename Count>
ANYCLASS_INLINE Count scaleOf(Reduction reduction, Count presences, Count labeled) {
  if (reduction == Reduction::sum || reduction == Reduction::none) return 1;
  const Count denominator = reduction == Reduction::batch ? presences : labeled;
  return denominator > 0 ? 1 / denominator : 0;
}

}  // namespace anyclass
