#include "cpuLoops.h"

namespace anyclass {
namespace {

// Uses __restrict instead of `omp simd`, which GCC 12 does not vectorize inside the clones.
template <TermKind kind>
ANYCLASS_INLINE void lossLoop(const float* logits, const float* targets, int64_t count, const TermParameters term, float* __restrict losses) {
  for (int64_t i = 0; i < count; i++) {
    const float y = targets[i];
    const float loss = termLoss<kind>(logistic(logits[i]), smoothed(y, term), term);
    losses[i] = y == y ? loss : 0.0f;
  }
}

template <TermKind kind>
ANYCLASS_INLINE void slopeLoop(const float* logits, const float* targets, int64_t count, const TermParameters term, float* __restrict slopes) {
  for (int64_t i = 0; i < count; i++) slopes[i] = termSlope<kind>(logistic(logits[i]), smoothed(targets[i], term), term);
}

}  // namespace

ANYCLASS_VECTORIZED void labelLosses(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* losses) {
  switch (kindOf(term)) {
    case TermKind::plain: return lossLoop<TermKind::plain>(logits, targets, count, term, losses);
    case TermKind::square: return lossLoop<TermKind::square>(logits, targets, count, term, losses);
    case TermKind::power: return lossLoop<TermKind::power>(logits, targets, count, term, losses);
    case TermKind::clippedFourth: return lossLoop<TermKind::clippedFourth>(logits, targets, count, term, losses);
    case TermKind::clippedPower: return lossLoop<TermKind::clippedPower>(logits, targets, count, term, losses);
  }
}

ANYCLASS_VECTORIZED void labelSlopes(const float* logits, const float* targets, int64_t count, const TermParameters& term, float* slopes) {
  switch (kindOf(term)) {
    case TermKind::plain: return slopeLoop<TermKind::plain>(logits, targets, count, term, slopes);
    case TermKind::square: return slopeLoop<TermKind::square>(logits, targets, count, term, slopes);
    case TermKind::power: return slopeLoop<TermKind::power>(logits, targets, count, term, slopes);
    case TermKind::clippedFourth: return slopeLoop<TermKind::clippedFourth>(logits, targets, count, term, slopes);
    case TermKind::clippedPower: return slopeLoop<TermKind::clippedPower>(logits, targets, count, term, slopes);
  }
}

ANYCLASS_VECTORIZED RowSums sumRow(const float* logits, const float* targets, const float* losses, const float* classWeights, int64_t classes) {
  float known = 0, present = 0, anyTarget = 0, logitSum = 0, presentLogits = 0, loss = 0, weight = 0;
#pragma omp simd reduction(+ : known, present, logitSum, presentLogits, loss) reduction(max : anyTarget)
  for (int64_t j = 0; j < classes; j++) {
    const bool isKnown = targets[j] == targets[j];
    const float y = isKnown ? targets[j] : 0.0f;
    const float z = isKnown ? logits[j] * kLogitScale : 0.0f;
    known += isKnown ? 1.0f : 0.0f;
    present += y;
    anyTarget = y > anyTarget ? y : anyTarget;
    logitSum += z;
    presentLogits += y * z;
    loss += losses[j];
  }
  if (classWeights && anyTarget > 0) {
#pragma omp simd reduction(+ : weight)
    for (int64_t j = 0; j < classes; j++) weight += targets[j] == targets[j] ? targets[j] * classWeights[j] : 0.0f;
  }
  return {known, present, anyTarget, logitSum, presentLogits, weight, loss};
}

ANYCLASS_VECTORIZED void rowGradient(const float* targets, const RowSlopes& row, float scale, int64_t classes, float* slopes) {
  const float factor = scale * row.weight, present = row.present, absent = row.absent;
#pragma omp simd
  for (int64_t j = 0; j < classes; j++) {
    const float y = targets[j];
    const float gradient = factor * (slopes[j] + y * present + (1 - y) * absent);
    slopes[j] = y == y ? gradient : 0.0f;
  }
}

}  // namespace anyclass
