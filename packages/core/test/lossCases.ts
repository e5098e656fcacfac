// The golden values of the losses, in float64 by an independent implementation.

import { readVectors } from './files.js';

export interface LossCase {
  readonly logits: number[][];
  readonly targets: number[][];
  readonly classCounts: number[];
  readonly negativeCount: number;
  readonly beta: number;
  readonly base: 'bce' | 'focal';
  readonly gamma: number;
  readonly alpha: number;
  readonly lambda: number;
  readonly expected: {
    readonly loss: number;
    readonly grad: number[][];
    readonly classWeights: number[];
    readonly negativeWeight: number;
    readonly baseRows: number[];
    readonly anyRows: number[];
    readonly rowWeights: number[];
  };
}

export const lossCases: readonly LossCase[] = readVectors('losses.json');
