#pragma once

#include <ATen/ATen.h>

#include "imageBatch.h"

namespace anyclass {

// The operator's arguments, checked, as the loops and kernels take them.
ImageBatch imageBatchOf(const at::Tensor& images, const c10::optional<at::Tensor>& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std);

}  // namespace anyclass
