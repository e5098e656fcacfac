// The loss composed of libtorch's operators, with libtorch's gradients: for float64, and for devices without kernels of
// our own. It is also what the fused kernels are tested against.
#include "composition.h"

namespace anyclass {
namespace {

// -(1 - y) p^γ log q - y q^γ log p
at::Tensor termLoss(const at::Tensor& logits, const at::Tensor& targets, double gamma) {
  const auto logP = at::log_sigmoid(logits), logQ = at::log_sigmoid(-logits);
  if (gamma == 0) return -(1 - targets) * logQ - targets * logP;
  return -(1 - targets) * (gamma * logP).exp() * logQ - targets * (gamma * logQ).exp() * logP;
}

at::Tensor reciprocalOrZero(const at::Tensor& count) { return at::where(count > 0, count.reciprocal(), at::zeros_like(count)); }

}  // namespace

std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& givenLogits, const at::Tensor& givenTargets, const c10::optional<at::Tensor>& classWeights, double negativeWeight, double alpha, double lambda,
                                                double gamma, Reduction reduction) {
  const auto type = givenLogits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const auto known = givenTargets.isnan().logical_not();
  const auto zero = at::zeros({}, givenLogits.options().dtype(type));
  const auto logits = at::where(known, givenLogits.to(type), zero), targets = at::where(known, givenTargets.to(type), zero);

  const auto knownCount = known.sum(1).to(type), present = targets.sum(1), anyTarget = targets.amax(1);
  const auto absentWeight = anyTarget * lambda + (1 - anyTarget);
  const auto weights = at::where(known, targets + (1 - targets) * absentWeight.unsqueeze(1), zero);
  const auto labeled = (knownCount > 0).to(type);
  const auto anyLogit = (weights * logits).sum(1) * reciprocalOrZero(weights.sum(1));

  const auto base = at::where(known, termLoss(logits, targets, gamma), zero).sum(1);
  auto rows = (base + alpha * termLoss(anyLogit, anyTarget, gamma)) * labeled;
  if (classWeights) rows = rows * ((targets * classWeights->to(type)).sum(1) + (1 - anyTarget) * negativeWeight);

  const auto presences = ((present + (1 - anyTarget)) * labeled).sum(), labeledRows = labeled.sum();
  const auto counts = at::stack({presences, labeledRows}).detach();
  switch (reduction) {
    case Reduction::none: return {rows, counts};
    case Reduction::sum: return {rows.sum(), counts};
    case Reduction::mean: return {rows.sum() * reciprocalOrZero(labeledRows), counts};
    case Reduction::batch: return {rows.sum() * reciprocalOrZero(presences), counts};
  }
  TORCH_CHECK(false, "unknown reduction");
}

}  // namespace anyclass
