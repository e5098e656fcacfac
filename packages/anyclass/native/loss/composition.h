#pragma once

#include <ATen/ATen.h>

#include "batch.h"

namespace anyclass {

// The loss by its reduction, and the two denominators. `term` is [γ+, γ-, clip, smoothing].
std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights,
                                                double negativeWeight, double alpha, double lambda, at::ArrayRef<double> term, Reduction reduction);

}  // namespace anyclass
