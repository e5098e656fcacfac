#pragma once

#include <ATen/ATen.h>

#include "batch.h"

namespace anyclass {

// The loss by its reduction, and the two denominators.
std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights, double negativeWeight, double alpha, double lambda,
                                                double gamma, Reduction reduction);

}  // namespace anyclass
