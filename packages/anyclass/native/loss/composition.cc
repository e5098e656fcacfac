// The loss composed of libtorch's operators, with libtorch's gradients: for float64, and for devices without fused kernels.
// It is also the reference that the fused kernels are tested against.
#include "composition.h"

namespace anyclass {
namespace {

// p_m^γ- (-log(1 - p_m)), p_m = max(p - clip, 0). Where p is not above the clip, the slope of the power could be infinite, so
// the power is computed at 1/2 there and then replaced by 0.
at::Tensor clippedAbsentLoss(const at::Tensor& logits, const TermNumbers& term) {
  const auto excess = at::sigmoid(logits) - term.clip;
  const auto isAbove = excess > 0;
  const auto bounded = at::where(isAbove, excess, at::full_like(excess, 0.5));
  return at::where(isAbove, bounded.pow(term.gammaNegative) * -at::log1p(-bounded), at::zeros_like(bounded));
}

at::Tensor focus(const at::Tensor& logBase, double gamma) { return gamma == 0 ? at::ones_like(logBase) : (gamma * logBase).exp(); }

// (1 - y) p_m^γ- (-log(1 - p_m)) + y q^γ+ (-log p)
at::Tensor termLoss(const at::Tensor& logits, const at::Tensor& targets, const TermNumbers& term) {
  const auto logP = at::log_sigmoid(logits), logQ = at::log_sigmoid(-logits);
  const auto absent = term.clip > 0 ? clippedAbsentLoss(logits, term) : -focus(logP, term.gammaNegative) * logQ;
  return (1 - targets) * absent - targets * focus(logQ, term.gammaPositive) * logP;
}

at::Tensor reciprocalOrZero(const at::Tensor& count) { return at::where(count > 0, count.reciprocal(), at::zeros_like(count)); }

}  // namespace

std::tuple<at::Tensor, at::Tensor> composedLoss(const at::Tensor& givenLogits, const at::Tensor& givenTargets,
                                                const c10::optional<at::Tensor>& classWeights, double negativeWeight, double alpha, double lambda,
                                                const TermNumbers& term, Reduction reduction) {
  const auto type = givenLogits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const auto known = givenTargets.isnan().logical_not();
  const auto zero = at::zeros({}, givenLogits.options().dtype(type));
  const auto logits = at::where(known, givenLogits.to(type), zero), targets = at::where(known, givenTargets.to(type), zero);

  const auto knownCount = known.sum(1).to(type), present = targets.sum(1), anyTarget = targets.amax(1);
  const auto absentWeight = anyTarget * lambda + (1 - anyTarget);
  const auto weights = at::where(known, targets + (1 - targets) * absentWeight.unsqueeze(1), zero);
  const auto labeled = (knownCount > 0).to(type);
  // The weights are normalized first: the sum of large logits would overflow.
  const auto anyLogit = (weights * reciprocalOrZero(weights.sum(1, true)) * logits).sum(1);
  // If an unknown label could make a row positive, the row has no any-class term.
  const auto isDecided = (anyTarget >= 0.5).logical_or(known.all(1));

  const auto base = at::where(known, termLoss(logits, targets * (1 - term.smoothing) + term.smoothing / 2, term), zero).sum(1);
  auto rows = base + alpha * at::where(isDecided, termLoss(anyLogit, anyTarget, term), zero);
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
