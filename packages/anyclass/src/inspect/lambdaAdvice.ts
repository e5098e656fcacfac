// Two sources. The λ ablations of arXiv 2506.05721 (balanced classes, TResNet-L, validation, threshold 0.5):
// with 47 to 54% negatives (COCO-41, SewerML, ChestX-ray14), λ from 0.01 to 0.05 was best; with 80%
// (COCO-animals), 0.2 was best, then 0.05. Our own ablations (docs/results.md: no balancing, at 5% false
// alarms): with both 47% and 80% negatives, 0.01 to 0.05 were alike, and 0.2 was behind them.

import type { LambdaAdvice } from './inspection.js';

/**
 * The range of λ to try for a share of negatives in the training data.
 *
 * @example
 * lambdaAdvice(0.8) // { negativeShare: 0.8, from: 0.01, to: 0.2, start: 0.02, reason: 'with 80% negatives, …' }
 */
export function lambdaAdvice(negativeShare: number): LambdaAdvice {
  const percent = `${Math.round(negativeShare * 100)}% negatives`;
  const start = 0.02;
  if (negativeShare > 0.6) {
    const reason = `with ${percent}, 0.01 to 0.05 performed alike without class balancing; with balancing, the paper found 0.2 best at 80%`;
    return { negativeShare, from: 0.01, to: 0.2, start, reason };
  }
  if (negativeShare >= 0.4) {
    const reason = `${percent} is near the 47 to 54% of SewerML, ChestX-ray14, and COCO-41, where 0.01 to 0.05 was best`;
    return { negativeShare, from: 0.01, to: 0.05, start, reason };
  }
  const reason = `${percent} is below the range we have measured (47% and up), so the default is only a starting point`;
  return { negativeShare, from: 0.01, to: 0.05, start, reason };
}
