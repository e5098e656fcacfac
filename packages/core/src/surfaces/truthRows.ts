// The likelihood of a target under a logistic function of the classes' logits, one row of the grid at a time.

import { addLossRow, expRow, sigmoidRow } from './surfaceLoops.js';

export interface TruthRows {
  readonly scale: number;
  readonly target: number;
  readonly gamma: number;
  /** Requests -log of the truth's probability, focused with γ; returns the array that `fill` writes it to. */
  losses(): Float64Array;
  /** Requests exp(-loss); returns the array that `fill` writes it to. */
  likelihoods(): Float64Array;
  /** Writes a row of what was requested. */
  fill(row: number): void;
}

/** Rows for the truth of `target` under sigmoid(scale · (first + second)); `first` varies along a row. */
export function truthRows(
  first: Float64Array,
  second: Float64Array,
  scale: number,
  target: number,
  gamma: number,
): TruthRows {
  const sides = [oneSide(first, second, scale, target), oneSide(first, second, -scale, 1 - target)].filter(
    ({ share }) => share > 0,
  );
  const plain = gamma === 0 && sides.length === 1 ? sides[0] : undefined;
  let losses: Float64Array | undefined;
  let likelihoods: Float64Array | undefined;
  const askLosses = () => {
    losses ??= new Float64Array(first.length);
    return losses;
  };
  return {
    scale,
    target,
    gamma,
    losses: askLosses,
    likelihoods() {
      likelihoods ??= new Float64Array(first.length);
      if (plain === undefined) askLosses();
      return likelihoods;
    },
    fill(row) {
      if (losses !== undefined) {
        losses.fill(0);
        for (const { share, logits, odds, otherLogits, otherOdds } of sides) {
          addLossRow(losses, logits, odds, otherLogits[row]!, otherOdds[row]!, share, gamma);
        }
      }
      if (likelihoods === undefined) return;
      if (plain !== undefined) sigmoidRow(likelihoods, plain.odds, plain.otherOdds[row]!);
      else if (losses !== undefined) expRow(likelihoods, losses, -1);
    },
  };
}

// Odds against are exp(-logit), computed along the sides rather than at every point, since exp(-a - b) = exp(-a) exp(-b).
function oneSide(first: Float64Array, second: Float64Array, scale: number, share: number) {
  const [logits, otherLogits] = [first.map((logit) => scale * logit), second.map((logit) => scale * logit)];
  const oddsAgainst = (logit: number) => Math.exp(-logit);
  return {
    share,
    logits,
    odds: logits.map(oddsAgainst),
    otherLogits,
    otherOdds: otherLogits.map(oddsAgainst),
  };
}
