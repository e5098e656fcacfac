// The mathematics of the any-class losses in float32, for one label and for one row; CPU and CUDA share it.
// Tissera et al., "Any-Class Presence Likelihood for Robust Multi-Label Classification with Abundant Negative Data",
// arXiv 2506.05721; with soft and unknown labels as in @anyclass/core, which is the reference in float64.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "../shared/compilers.h"

namespace anyclass {

// (1 - p)^γ of the focal loss: absent (γ = 0, which is binary cross-entropy), a square, or any power.
enum class Focus { none, square, power };

inline Focus focusOf(float gamma) { return gamma == 0 ? Focus::none : gamma == 2 ? Focus::square : Focus::power; }

// exp(-x) for x >= 0 to two units in the last place; 0 where it would be subnormal.
ANYCLASS_INLINE float expOfMinus(float x) {
#ifdef __CUDA_ARCH__
  // 2^(-x log2 e) by the special function unit. The product is split: what its rounding loses is x times larger after.
  const float log2e = 1.44269502f, log2eRest = 1.92596303e-8f;
  const float exponent = -x * log2e;
  const float lost = fmaf(-x, log2eRest, fmaf(-x, log2e, -exponent));
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return fmaf(power, lost * 0.693147182f, power);
#else
  // exp(-x) = 2^n exp(r) with |r| <= log(2) / 2. Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
  const float largest = 87.33f;
  const float bounded = x > largest ? largest : x;  // lets a NaN pass
  const float shifted = bounded * -1.44269502f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = n * -1.42860677e-6f + (n * -0.693145752f - bounded);
  // Minimax of (exp(r) - 1 - r) / r², relative to exp(r): 3e-9.
  const float p = (((1.381446490995586e-3f * r + 8.368780836462975e-3f) * r + 4.166839271783829e-2f) * r + 0.1666651964187622f) * r + 0.4999999403953552f;
  int32_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  const uint32_t scaleBits = (static_cast<uint32_t>(bits) << 23) + 0x3f800000u;
  float scale;
  std::memcpy(&scale, &scaleBits, sizeof(scale));
  const float result = (p * r * r + r) * scale + scale;
  return x > largest ? 0.0f : result;
#endif
}

// log(1 + x) for x in [0, 1]: x times the minimax polynomial of log(1 + x) / x, to 5e-9 relative.
ANYCLASS_INLINE float log1pOfSmall(float x) {
  const float high = (((-3.243968589231372e-3f * x + 1.9851204007864e-2f) * x - 5.695904418826103e-2f) * x + 0.10603604465723038f) * x - 0.15305562317371368f;
  return x * (((((high * x + 0.19675928354263306f) * x - 0.24954131245613098f) * x + 0.3332996070384979f) * x - 0.4999990165233612f) * x + 1.0f);
}

ANYCLASS_INLINE float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  return __fdividef(1.0f, x);
#else
  return 1.0f / x;
#endif
}

// p = sigmoid(z), q = 1 - p and both logarithms from one exponential, each to float32's relative accuracy.
struct Logistic {
  float p, q, minusLogP, minusLogQ;
};

ANYCLASS_INLINE Logistic logistic(float z) {
  const float small = expOfMinus(fabsf(z));
  const float larger = reciprocal(1.0f + small);
  const float smaller = small * larger;
  const float logOfSum = log1pOfSmall(small);
  const bool positive = z >= 0;
  return {positive ? larger : smaller, positive ? smaller : larger, positive ? logOfSum : logOfSum - z, positive ? logOfSum + z : logOfSum};
}

template <Focus focus>
ANYCLASS_INLINE float focusing(float probability, float minusLogProbability, float gamma) {
  if (focus == Focus::none) return 1.0f;
  if (focus == Focus::square) return probability * probability;
  return expOfMinus(gamma * minusLogProbability);
}

// J = -(1 - y) p^γ log q - y q^γ log p
template <Focus focus>
ANYCLASS_INLINE float termLoss(const Logistic& at, float y, float gamma) {
  return (1 - y) * focusing<focus>(at.p, at.minusLogP, gamma) * at.minusLogQ + y * focusing<focus>(at.q, at.minusLogQ, gamma) * at.minusLogP;
}

// dJ/dz = (1 - y) p^γ (γ q (-log q) + p) - y q^γ (γ p (-log p) + q)
template <Focus focus>
ANYCLASS_INLINE float termSlope(const Logistic& at, float y, float gamma) {
  if (focus == Focus::none) return (1 - y) * at.p - y * at.q;
  return (1 - y) * focusing<focus>(at.p, at.minusLogP, gamma) * (gamma * at.q * at.minusLogQ + at.p) -
      y * focusing<focus>(at.q, at.minusLogQ, gamma) * (gamma * at.p * at.minusLogP + at.q);
}

// What one pass over a row adds up.
struct RowSums {
  float known;  // labels that are not unknown
  float present;  // Σ y
  float anyTarget;  // y_a = max y
  float logits;  // Σ z
  float presentLogits;  // Σ y z
  float classWeights;  // Σ y_j w_j
  float loss;  // J_base
};

// What backward needs of a row: d J / d z_j = weight · (slope of the term + y · present + (1 - y) · absent).
struct RowSlopes {
  float weight, present, absent;
};

struct RowResult {
  float loss;  // w̃ (J_base + α J_any)
  float presences;  // Σ y + (1 - y_a), the row's part of the batch's denominator
  float labeled;  // 1 where any label is known
  RowSlopes slopes;
};

struct LossParameters {
  float alpha;
  float lambda;
  float gamma;
  float negativeWeight;
  bool balanced;  // else every row weighs 1
};

template <Focus focus>
ANYCLASS_INLINE RowResult finishRow(const RowSums& sums, const LossParameters& parameters) {
  if (!(sums.known > 0)) return {};
  // An absent class weighs λ in a positive row and 1 in a negative one; between, linearly.
  const float absentWeight = sums.anyTarget * parameters.lambda + (1 - sums.anyTarget);
  const float total = sums.present + (sums.known - sums.present) * absentWeight;
  const float anyLogit = (sums.presentLogits + (sums.logits - sums.presentLogits) * absentWeight) / total;
  const Logistic any = logistic(anyLogit);
  const float anyLoss = termLoss<focus>(any, sums.anyTarget, parameters.gamma);
  const float slope = parameters.alpha * termSlope<focus>(any, sums.anyTarget, parameters.gamma) / total;
  const float weight = parameters.balanced ? sums.classWeights + (1 - sums.anyTarget) * parameters.negativeWeight : 1.0f;
  return {weight * (sums.loss + parameters.alpha * anyLoss), sums.present + (1 - sums.anyTarget), 1.0f, {weight, slope, slope * absentWeight}};
}

}  // namespace anyclass
