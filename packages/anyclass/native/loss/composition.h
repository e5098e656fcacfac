#pragma once

#include <ATen/ATen.h>

#include "batch.h"

namespace anyclass {

// A term as the operators take it: `TermParameters` in float64.
struct TermNumbers {
  double gammaPositive, gammaNegative, clip, smoothing;
};

// The loss by its reduction, and the two denominators.
std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights,
                                                double negativeWeight, double alpha, double lambda, const TermNumbers& term, Reduction reduction);

}  // namespace anyclass
