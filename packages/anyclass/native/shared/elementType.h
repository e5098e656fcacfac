// The floating-point types that kernels read and write.
#pragma once

namespace anyclass {

enum class ElementType { float32, float16, bfloat16 };

}  // namespace anyclass
