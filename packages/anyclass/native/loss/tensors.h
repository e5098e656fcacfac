// Conversion of tensors to plain pointers, for the operators of both CPU and GPU.
#pragma once

#include "../shared/tensors.h"
#include "batch.h"

namespace anyclass {

inline LossBatch batchOf(const at::Tensor& logits, const at::Tensor& targets) {
  return {logits.data_ptr(),
          elementTypeOf(logits.scalar_type()),
          targets.data_ptr(),
          targets.scalar_type() == at::kByte ? TargetType::uint8 : TargetType::float32,
          logits.size(0),
          logits.size(1)};
}

inline TermParameters termOf(double gammaPositive, double gammaNegative, double clip, double smoothing) {
  return {static_cast<float>(gammaPositive), static_cast<float>(gammaNegative), static_cast<float>(clip), static_cast<float>(smoothing)};
}

inline LossParameters parametersOf(const TermParameters& term, double alpha, double lambda, double negativeWeight, bool balanced) {
  return {term, static_cast<float>(alpha), static_cast<float>(lambda), static_cast<float>(negativeWeight), balanced};
}

struct ForwardTensors {
  at::Tensor loss, counts, slopes;

  ForwardTensors(const at::Tensor& logits, Reduction reduction) {
    const auto options = logits.options().dtype(at::kFloat);
    const int64_t rows = logits.size(0);
    loss = reduction == Reduction::none ? at::empty({rows}, options) : at::empty({}, options);
    counts = at::empty({2}, options);
    slopes = at::empty({rows, 3}, options);
  }

  ForwardOutput pointers() const {
    return {loss.data_ptr<float>(), counts.data_ptr<float>(), reinterpret_cast<RowSlopes*>(slopes.data_ptr<float>())};
  }
};

inline BackwardInput backwardInput(const at::Tensor& gradient, const at::Tensor& counts, const at::Tensor& slopes) {
  return {gradient.data_ptr<float>(), gradient.dim() == 0 ? 0 : gradient.stride(0), counts.data_ptr<float>(),
          reinterpret_cast<const RowSlopes*>(slopes.data_ptr<float>())};
}

// The operators below autograd, one kernel each; their schemas are in anyClassLoss.cc.
using ForwardResult = std::tuple<at::Tensor, at::Tensor, at::Tensor>;  // loss, counts, slopes

}  // namespace anyclass
