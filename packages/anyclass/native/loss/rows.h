// The loss of one row from sums over its labels; shared by CPU and CUDA. Tissera et al., "Any-Class Presence Likelihood for
// Robust Multi-Label Classification with Abundant Negative Data", arXiv 2506.05721; with soft and unknown labels like
// @anyclass/core.
#pragma once

#include "terms.h"

namespace anyclass {

// Sums of logits are scaled down by this power of two, which is exact, so that even the largest float32 values can be added.
constexpr float kLogitScale = 9.31322575e-10f, kLogitUnscale = 1073741824.0f;  // 2^-30 and 2^30

struct RowSums {
  float known;  // labels that are not unknown
  float present;  // Σ y
  float anyTarget;  // y_a = max y
  float logits;  // Σ z, scaled
  float presentLogits;  // Σ y z, scaled
  float classWeights;  // Σ y_j w_j
  float loss;  // J_base
};

// What backward needs for a row: d J / d z_j = weight · (slope of the term + y · present + (1 - y) · absent).
struct RowSlopes {
  float weight, present, absent;
};

struct RowResult {
  float loss;  // w̃ (J_base + α J_any)
  float presences;  // Σ y + (1 - y_a), the row's part of the batch's denominator
  float labeled;  // 1 if any label is known
  RowSlopes slopes;
};

struct LossParameters {
  TermParameters term;
  float alpha;
  float lambda;
  float negativeWeight;
  bool balanced;  // otherwise every row has weight 1
};

template <TermKind kind>
ANYCLASS_INLINE RowResult finishRow(const RowSums& sums, int64_t classes, const LossParameters& parameters) {
  if (!(sums.known > 0)) return {};
  const float weight = parameters.balanced ? sums.classWeights + (1 - sums.anyTarget) * parameters.negativeWeight : 1.0f;
  const float presences = sums.present + (1 - sums.anyTarget);
  // If an unknown label could make the row positive, there is no any-class term.
  const bool isDecided = sums.anyTarget >= 0.5f || sums.known == static_cast<float>(classes);
  if (!isDecided) return {weight * sums.loss, presences, 1.0f, {weight, 0.0f, 0.0f}};
  // An absent class has weight λ in a positive row and 1 in a negative one, linear in between.
  const float absentWeight = sums.anyTarget * parameters.lambda + (1 - sums.anyTarget);
  const float total = sums.present + (sums.known - sums.present) * absentWeight;
  const float anyLogit = (sums.presentLogits + (sums.logits - sums.presentLogits) * absentWeight) / total * kLogitUnscale;
  const Logistic any = logistic(anyLogit);
  const float anyLoss = termLoss<kind>(any, sums.anyTarget, parameters.term);
  const float slope = parameters.alpha * termSlope<kind>(any, sums.anyTarget, parameters.term) / total;
  return {weight * (sums.loss + parameters.alpha * anyLoss), presences, 1.0f, {weight, slope, slope * absentWeight}};
}

}  // namespace anyclass
