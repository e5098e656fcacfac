#pragma once

#include <ATen/ATen.h>

#include "filters.h"

namespace anyclass {

// Checks the operator's arguments and returns them in the form that the loops and kernels take.
FilteredBatch filteredBatchOf(const at::Tensor& images, const at::Tensor& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std);

}  // namespace anyclass
