// Tensors on the CPU in reused memory.
//
// A batch of 64 color images of 224 x 224 is 38 MB as floats. malloc returns blocks of that size to the system, and
// getting new pages takes longer than filling them, so the last few blocks are kept. A block is free again when the last
// tensor that uses it is gone, whoever held it: libtorch counts the references, and callers have nothing to release.
#pragma once

#include <ATen/ATen.h>

namespace anyclass {

// Returns an uninitialized float32 tensor.
at::Tensor keptTensor(at::IntArrayRef shape, at::IntArrayRef strides);

}  // namespace anyclass
