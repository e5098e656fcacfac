#pragma once

#include <ATen/ATen.h>

#include "imageBatch.h"

namespace anyclass {

// Checks the operator's arguments and returns them in the form that the loops and kernels take.
InputBatch imageBatchOf(const at::Tensor& images, const c10::optional<at::Tensor>& parameters, int64_t resultHeight, int64_t resultWidth,
                        at::ArrayRef<double> mean, at::ArrayRef<double> std);

}  // namespace anyclass
