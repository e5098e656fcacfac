// Batch statistics over all ranks. The process groups belong to another library, @anyclass/torch's, which registers how to sum
// over one with libtorch; here it is found by name.
#pragma once

#include <ATen/ATen.h>

namespace anyclass {

struct SynchronizedStatistics {
  at::Tensor mean;  // of all ranks' values, a channel each
  at::Tensor variance;  // divided by their number
  at::Tensor rows;  // values a channel over all ranks, a double on the device
};

// From a rank's own mean and variance (divided by its number of values), in their type; of no values they do not matter.
SynchronizedStatistics synchronizedStatistics(const at::Tensor& mean, const at::Tensor& variance, int64_t rows, int64_t group);

void updateRunning(const SynchronizedStatistics& statistics, double momentum, const at::Tensor& runningMean, const at::Tensor& runningVariance);

// Sums a tensor over all ranks, in its own memory.
void sumOverRanks(at::Tensor tensor, int64_t group);

}  // namespace anyclass
