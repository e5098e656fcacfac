// The loss and slope of one binary decision, which all bases share:
//
//     J = -y (1 - p)^γ+ log p - (1 - y) p_m^γ- log(1 - p_m),   p = sigmoid(z),  p_m = max(p - clip, 0)
//
// - binary cross-entropy: no exponents, no clip;
// - focal loss: one exponent for both. Lin et al., "Focal Loss for Dense Object Detection", arXiv 1708.02002;
// - asymmetric loss (ASL). Ridnik et al., "Asymmetric Loss For Multi-Label Classification", arXiv 2009.14119. Its
//   authors' code can leave the focusing factors out of the gradient; here the gradient is the exact one of J.
//
// With q = 1 - p and q_m = 1 - p_m, the slope is
//
//     dJ/dz = (1 - y) p q p_m^γ- (γ- (-log q_m) / p_m + 1 / q_m) - y q^γ+ (γ+ p (-log p) + q)
//
// whose first part is (1 - y) p^γ- (γ- q (-log q) + p) without a clip, and 0 if p is not above the clip.
// p, q and both logarithms come from one exp and one log1p.

/** The exponents and the clip. */
export interface LossTerm {
  readonly gammaPositive: number;
  readonly gammaNegative: number;
  readonly clip: number;
}

/** Returns the focal loss's term; γ = 0 gives binary cross-entropy. */
export function focalTerm(gamma: number): LossTerm {
  return { gammaPositive: gamma, gammaNegative: gamma, clip: 0 };
}

/** The result buffer of `binaryTerm`: the loss, then its slope. The caller provides it, so that nothing is allocated. */
export type TermAndSlope = Float64Array;

/** Computes the loss of a logit against a target in [0, 1], and its derivative with respect to the logit. */
export function binaryTerm(logit: number, target: number, term: LossTerm, result: TermAndSlope): void {
  const small = Math.exp(-Math.abs(logit));
  const larger = 1 / (1 + small);
  const smaller = small * larger;
  const logOfSum = Math.log1p(small);
  const isPositive = logit >= 0;
  const p = isPositive ? larger : smaller;
  const q = isPositive ? smaller : larger;
  const minusLogP = isPositive ? logOfSum : logOfSum - logit;
  const minusLogQ = isPositive ? logOfSum + logit : logOfSum;
  let loss = 0;
  let slope = 0;
  if (target < 1) {
    if (term.clip > 0) {
      clippedAbsence(p, q, term, result);
      loss = (1 - target) * result[0]!;
      slope = (1 - target) * result[1]!;
    } else {
      const gamma = term.gammaNegative;
      const factor = (1 - target) * power(p, minusLogP, gamma);
      loss = factor * minusLogQ;
      slope = factor * (gamma * q * minusLogQ + p);
    }
  }
  if (target > 0) {
    const gamma = term.gammaPositive;
    const factor = target * power(q, minusLogQ, gamma);
    loss += factor * minusLogP;
    slope -= factor * (gamma * p * minusLogP + q);
  }
  result[0] = loss;
  result[1] = slope;
}

/** Computes the loss of an absent class and its slope with a clip. A separate function, so that the others are inlined. */
function clippedAbsence(p: number, q: number, { gammaNegative, clip }: LossTerm, result: TermAndSlope): void {
  result[0] = 0;
  result[1] = 0;
  if (p <= clip) return;
  const excess = p - clip;
  const rest = q + clip;
  const minusLogRest = excess < 0.5 ? -Math.log1p(-excess) : -Math.log(rest);
  const factor = excess ** gammaNegative;
  result[0] = factor * minusLogRest;
  result[1] = factor * p * q * ((gammaNegative * minusLogRest) / excess + 1 / rest);
}

// The logarithm is already known, so a general power costs an exp rather than a pow.
function power(base: number, minusLogBase: number, exponent: number): number {
  if (exponent === 0) return 1;
  if (exponent === 1) return base;
  return exponent === 2 ? base * base : Math.exp(-exponent * minusLogBase);
}
