// The λ ablations of arXiv 2506.05721 (TResNet-L, validation): with 47 to 54% negatives (COCO-41, SewerML,
// ChestX-ray14) λ from 0.01 to 0.05 was best in F1, F2 and mAP; with 80% (COCO-animals) 0.2 was, and 0.05 next.

import type { LambdaAdvice } from './inspection.js';

/**
 * The range of λ to try for a share of negatives in the training data.
 *
 * @example
 * lambdaAdvice(0.8).start // 0.2
 */
export function lambdaAdvice(negativeShare: number): LambdaAdvice {
  const percent = `${Math.round(negativeShare * 100)}% negatives`;
  if (negativeShare >= 0.75) {
    const reason = `with ${percent}, near the 80% of COCO-animals, where λ = 0.2 was best and 0.05 next`;
    return { negativeShare, from: 0.05, to: 0.2, start: 0.2, reason };
  }
  if (negativeShare > 0.6) {
    const reason = `${percent} lie between what the paper measured (54% and 80%): try its whole range`;
    return { negativeShare, from: 0.02, to: 0.2, start: 0.05, reason };
  }
  if (negativeShare >= 0.4) {
    const reason = `with ${percent}, near the 47 to 54% of SewerML, ChestX-ray14 and COCO-41, where 0.01 to 0.05 was best`;
    return { negativeShare, from: 0.01, to: 0.05, start: 0.02, reason };
  }
  const reason = `${percent} are fewer than the paper measured (47% and more): its default is a start, no more`;
  return { negativeShare, from: 0.01, to: 0.05, start: 0.02, reason };
}
