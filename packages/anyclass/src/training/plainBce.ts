/**
 * The mean binary cross-entropy over all known labels, comparable across losses.
 *
 * @example
 * plainBce(Float32Array.of(0, 5), Float32Array.of(1, Number.NaN)) // 0.6931…
 */
export function plainBce(logits: Float32Array, targets: Float32Array): number {
  let sum = 0;
  let known = 0;
  logits.forEach((logit, i) => {
    const target = targets[i]!;
    if (Number.isNaN(target)) return;
    sum += Math.max(logit, 0) - logit * target + Math.log1p(Math.exp(-Math.abs(logit)));
    known++;
  });
  return known === 0 ? Number.NaN : sum / known;
}
