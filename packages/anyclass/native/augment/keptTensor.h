// Tensors on the CPU in memory that is used again.
//
// A batch of 64 color images of 224 x 224 is 38 MB as floats. malloc gives blocks of that size back to the system, and to
// get their pages anew takes longer than to fill them; so the last few are kept. A block is free again when the last tensor
// that looks into it is gone, whoever held it: that is libtorch's own count, nobody has to promise anything.
#pragma once

#include <ATen/ATen.h>

namespace anyclass {

// float32, its values as they were found.
at::Tensor keptTensor(at::IntArrayRef shape, at::IntArrayRef strides);

}  // namespace anyclass
