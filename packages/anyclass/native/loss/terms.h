// The loss and slope of one binary decision, shared by all base losses:
//
//     J = -y q^γ+ log p - (1 - y) p_m^γ- log q_m,   p = sigmoid(z), q = 1 - p, p_m = max(p - clip, 0), q_m = 1 - p_m
//
// Binary cross-entropy has no exponents, focal loss (arXiv 1708.02002) has one for both, and asymmetric loss (ASL, arXiv
// 2009.14119) has two and the clip. The slope is that of all of J, including the factors raised to γ. @anyclass/core is the
// reference in float64.
#pragma once

#include <type_traits>

#include "logistic.h"

namespace anyclass {

struct TermParameters {
  float gammaPositive, gammaNegative, clip;
  float smoothing;  // ε of label smoothing
};

// How the powers are computed: no exponents, both 2, or any; with a clip, the exponents of ASL's authors (1 and 4), or any.
enum class TermKind { plain, square, power, clippedFourth, clippedPower };

inline TermKind kindOf(const TermParameters& term) {
  const float positive = term.gammaPositive, negative = term.gammaNegative;
  if (term.clip > 0) return positive == 1 && negative == 4 ? TermKind::clippedFourth : TermKind::clippedPower;
  if (positive != negative) return TermKind::power;
  return positive == 0 ? TermKind::plain : positive == 2 ? TermKind::square : TermKind::power;
}

// Calls `work` with the term's kind as a compile-time constant.
template <typename Work>
void withKind(const TermParameters& term, Work work) {
  switch (kindOf(term)) {
    case TermKind::plain: return work(std::integral_constant<TermKind, TermKind::plain>());
    case TermKind::square: return work(std::integral_constant<TermKind, TermKind::square>());
    case TermKind::power: return work(std::integral_constant<TermKind, TermKind::power>());
    case TermKind::clippedFourth: return work(std::integral_constant<TermKind, TermKind::clippedFourth>());
    case TermKind::clippedPower: return work(std::integral_constant<TermKind, TermKind::clippedPower>());
  }
}

// Returns the smoothed target of a class. An unknown label, NaN, remains NaN.
ANYCLASS_INLINE float smoothed(float y, const TermParameters& term) { return y * (1 - term.smoothing) + 0.5f * term.smoothing; }

// q^γ+
template <TermKind kind>
ANYCLASS_INLINE float presentFocus(const Logistic& at, const TermParameters& term) {
  switch (kind) {
    case TermKind::plain: return 1.0f;
    case TermKind::square: return at.q * at.q;
    case TermKind::clippedFourth: return at.q;
    default: return expOfMinus(term.gammaPositive * at.minusLogQ);
  }
}

// p^γ- without a clip
template <TermKind kind>
ANYCLASS_INLINE float absentFocus(const Logistic& at, const TermParameters& term) {
  switch (kind) {
    case TermKind::plain: return 1.0f;
    case TermKind::square: return at.p * at.p;
    default: return expOfMinus(term.gammaNegative * at.minusLogP);
  }
}

// p_m, q_m and -log q_m
struct Clipped {
  float p, q, minusLogQ;
};

ANYCLASS_INLINE Clipped clipped(const Logistic& at, float clip) {
  const float excess = at.p - clip, rest = at.q + clip;
  const float p = excess > 0 ? excess : 0.0f, q = rest < 1 ? rest : 1.0f;
  return {p, q, minusLog(q, p)};
}

template <TermKind kind>
ANYCLASS_INLINE float absentLoss(const Logistic& at, const TermParameters& term) {
  if (kind == TermKind::clippedFourth) {
    const Clipped low = clipped(at, term.clip);
    const float square = low.p * low.p;
    return square * square * low.minusLogQ;
  }
  if (kind == TermKind::clippedPower) {
    const Clipped low = clipped(at, term.clip);
    return expOfMinus(term.gammaNegative * minusLog(low.p, low.q)) * low.minusLogQ;
  }
  return absentFocus<kind>(at, term) * at.minusLogQ;
}

// p^γ- (γ- q (-log q) + p), or with a clip p q p_m^γ- (γ- (-log q_m) / p_m + 1 / q_m) where p is above it, otherwise 0
template <TermKind kind>
ANYCLASS_INLINE float absentSlope(const Logistic& at, const TermParameters& term) {
  if (kind == TermKind::plain) return at.p;
  if (kind == TermKind::clippedFourth) {
    const Clipped low = clipped(at, term.clip);
    const float square = low.p * low.p;
    return at.p * at.q * square * (4.0f * low.p * low.minusLogQ + square * reciprocal(low.q));
  }
  if (kind == TermKind::clippedPower) {
    const Clipped low = clipped(at, term.clip);
    const float focus = expOfMinus(term.gammaNegative * minusLog(low.p, low.q));
    const float slope = at.p * at.q * focus * (term.gammaNegative * low.minusLogQ * reciprocal(low.p) + reciprocal(low.q));
    return low.p > 0 ? slope : 0.0f;
  }
  return absentFocus<kind>(at, term) * (term.gammaNegative * at.q * at.minusLogQ + at.p);
}

template <TermKind kind>
ANYCLASS_INLINE float presentSlope(const Logistic& at, const TermParameters& term) {
  if (kind == TermKind::plain) return at.q;
  return presentFocus<kind>(at, term) * (term.gammaPositive * at.p * at.minusLogP + at.q);
}

template <TermKind kind>
ANYCLASS_INLINE float termLoss(const Logistic& at, float y, const TermParameters& term) {
  return (1 - y) * absentLoss<kind>(at, term) + y * presentFocus<kind>(at, term) * at.minusLogP;
}

template <TermKind kind>
ANYCLASS_INLINE float termSlope(const Logistic& at, float y, const TermParameters& term) {
  return (1 - y) * absentSlope<kind>(at, term) - y * presentSlope<kind>(at, term);
}

}  // namespace anyclass
