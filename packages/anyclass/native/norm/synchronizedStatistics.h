// Batch statistics over all ranks. The process groups belong to the native library of @anyclass/torch, which registers an
// operator with libtorch that sums over a group; here it is looked up by name.
#pragma once

#include <ATen/ATen.h>

namespace anyclass {

struct SynchronizedStatistics {
  at::Tensor mean;  // of all ranks' values, one per channel
  at::Tensor variance;  // divided by the number of values
  at::Tensor rows;  // values per channel over all ranks, a double on the device
};

// Computes them from a rank's own mean and variance (divided by its number of values), in their type. With no rows, the
// rank's mean and variance are ignored.
SynchronizedStatistics synchronizedStatistics(const at::Tensor& mean, const at::Tensor& variance, int64_t rows, int64_t group);

void updateRunning(const SynchronizedStatistics& statistics, double momentum, const at::Tensor& runningMean, const at::Tensor& runningVariance);

// Sums a tensor over all ranks, in place.
void sumOverRanks(at::Tensor tensor, int64_t group);

}  // namespace anyclass
