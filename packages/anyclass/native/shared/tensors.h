// Element types of tensors, for operators.
#pragma once

#include <ATen/ATen.h>

#include "elementType.h"

namespace anyclass {

inline bool isFloatOrHalf(at::ScalarType type) { return type == at::kFloat || type == at::kHalf || type == at::kBFloat16; }

inline ElementType elementTypeOf(at::ScalarType type) {
  return type == at::kHalf ? ElementType::float16 : type == at::kBFloat16 ? ElementType::bfloat16 : ElementType::float32;
}

}  // namespace anyclass
