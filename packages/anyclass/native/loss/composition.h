#pragma once

#include <ATen/ATen.h>

#include "batch.h"

namespace anyclass {

// The parameters of a term for the operators: `TermParameters` in float64.
struct TermNumbers {
  double gammaPositive, gammaNegative, clip, smoothing;
};

// Returns the reduced loss and the two denominators.
std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights,
                                                double negativeWeight, double alpha, double lambda, const TermNumbers& term, Reduction reduction);

}  // namespace anyclass
