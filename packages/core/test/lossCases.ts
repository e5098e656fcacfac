// Golden values of the losses, computed in float64 by independent implementations: the paper's four losses in losses.json,
// and the parts that losses are assembled from, with unknown, soft and smoothed labels, in loss_parts.json
// (bench/fixtures/core/loss_parts.py).

import { type ClassBalance, effectiveNumberWeights } from '../src/balance/effectiveNumberWeights.js';
import type { LossOptions } from '../src/losses/lossParts.js';
import { readVectors } from './files.js';

/** A case as written in the file. */
interface WrittenCase extends LossOptions {
  readonly logits: number[][];
  /** null means unknown. */
  readonly targets: (number | null)[][];
  readonly classCounts: number[];
  readonly negativeCount: number;
  /** null for no balancing. */
  readonly beta: number | null;
  readonly reduction?: 'batch' | 'mean' | 'sum';
  readonly expected: ExpectedLoss;
}

interface ExpectedLoss {
  readonly loss: number;
  readonly grad: number[][];
  readonly classWeights: number[];
  readonly negativeWeight: number;
  readonly baseRows: number[];
  readonly anyRows: number[];
  readonly rowWeights: number[];
}

export interface GoldenLoss {
  readonly name: string;
  readonly logits: number[][];
  /** NaN means unknown. */
  readonly targets: number[][];
  readonly alpha: number;
  readonly options: LossOptions & {
    readonly balance?: ClassBalance;
    readonly reduction?: 'batch' | 'mean' | 'sum';
  };
  readonly expected: ExpectedLoss;
}

export const lossCases: readonly GoldenLoss[] = ['losses.json', 'loss_parts.json'].flatMap((file) => {
  const written: WrittenCase[] = readVectors(file);
  return written.map((given, i) => toCase(given, `${file} ${i}`));
});

function toCase(given: WrittenCase, place: string): GoldenLoss {
  const { logits, targets, classCounts, negativeCount, beta, expected, ...options } = given;
  const balance =
    beta === null ? {} : { balance: effectiveNumberWeights(classCounts, negativeCount, { beta }) };
  return {
    name: `${place}: ${JSON.stringify({ ...options, beta })}`,
    logits,
    targets: targets.map((row) => row.map((target) => target ?? Number.NaN)),
    alpha: options.alpha ?? 1,
    options: { ...options, ...balance },
    expected,
  };
}
