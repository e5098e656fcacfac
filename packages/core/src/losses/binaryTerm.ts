// One binary decision's loss and slope. Lin et al., "Focal Loss for Dense Object Detection", arXiv 1708.02002:
//
//     J = -y (1 - p)^γ log p - (1 - y) p^γ log(1 - p),   p = sigmoid(z)
//
// which is binary cross-entropy at γ = 0. With q = 1 - p the slope is
//
//     dJ/dz = (1 - y) p^γ (γ q (-log q) + p) - y q^γ (γ p (-log p) + q)
//
// p, q and both logarithms come from one exp and one log1p.

/** Where `binaryTerm` writes: the loss, then its slope. A caller's buffer, so that nothing is allocated. */
export type TermAndSlope = Float64Array;

/** The loss of a logit against a target in [0, 1], and its derivative with respect to the logit. */
export function binaryTerm(logit: number, target: number, gamma: number, result: TermAndSlope): void {
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
    const factor = (1 - target) * power(p, minusLogP, gamma);
    loss += factor * minusLogQ;
    slope += factor * (gamma * q * minusLogQ + p);
  }
  if (target > 0) {
    const factor = target * power(q, minusLogQ, gamma);
    loss += factor * minusLogP;
    slope -= factor * (gamma * p * minusLogP + q);
  }
  result[0] = loss;
  result[1] = slope;
}

// The logarithm is at hand, so a general power costs an exp and not a pow.
function power(base: number, minusLogBase: number, exponent: number): number {
  if (exponent === 0) return 1;
  return exponent === 2 ? base * base : Math.exp(-exponent * minusLogBase);
}
