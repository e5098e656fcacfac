import { nn, type Tensor, tensor, tidy } from '@anyclass/torch';
import type { Target } from './heatMap.js';

/**
 * Returns the score that each image is explained for, [batch]: a class's logit, or the presence score, which sums the softplus of
 * all logits. Rows do not mix, so the gradient of the sum holds that of each image.
 *
 * @example
 * targetScores(logits, [3, 'presence']).shape // [2]
 */
export function targetScores(logits: Tensor, targets: readonly Target[]): Tensor {
  const [batch = 0, classes = 0] = logits.shape;
  if (targets.length !== batch)
    throw new RangeError(`${targets.length} targets for ${batch} images; expected one for each`);
  for (const target of targets) {
    if (target !== 'presence' && !(Number.isInteger(target) && target >= 0 && target < classes))
      throw new RangeError(`target is ${target}; expected 'presence' or a class number below ${classes}`);
  }
  return tidy(() => {
    const own = Float32Array.from({ length: batch * classes }, (_, i) =>
      targets[Math.floor(i / classes)] === i % classes ? 1 : 0,
    );
    const all = Float32Array.from(targets, (target) => (target === 'presence' ? 1 : 0));
    const { device } = logits;
    const classScores = logits.mul(tensor(own, { shape: [batch, classes], device })).sum([1]);
    return classScores.add(nn.functional.softplus(logits).sum([1]).mul(tensor(all, { device })));
  });
}
