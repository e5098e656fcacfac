// With few positives a threshold of its own overfits a class. Its logit moves toward that of the threshold which all classes
// would share, with weight κ / (n + κ), n the class's positives: as if κ more of them had asked for the shared one.

import { logit, sigmoid } from '../losses/logisticTerms.js';
import { positivesOf } from '../metrics/classCounts.js';
import { entriesAtLeast, IS_PRESENT, ROW_SHIFT, scoreOfEntry } from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import { cutBefore, positiveEnds, segmentsAt, sweepGates } from './classSweep.js';
import type { DecisionSample } from './decisionRows.js';
import type { SweptGates, ThresholdFit } from './gateSweep.js';

const SHARED_CANDIDATES = 256;
// Beyond, probabilities are 0 or 1 in float64.
const LARGEST_LOGIT = 36.7;

/** The fitted thresholds moved, and the mean F_β that is left at each gate. */
export function shrunkFit(
  sample: DecisionSample,
  { gates, thresholds: exact }: SweptGates,
  { beta, kappa }: ThresholdFit,
): SweptGates {
  const { rows, multiplicities } = sample;
  const classes = rows.classNames.length;
  const thresholds = new Float64Array(exact.length);
  const macroFBeta = new Float64Array(gates.length);
  const slotOf = new Uint32Array(rows.rows);
  const shared = sharedThresholds(sample, gates, beta, slotOf);
  const isFloat32 = rows.scores instanceof Float32Array;
  rows.classes.forEach((entries, j) => {
    const positives = positivesOf(entries, multiplicities);
    const weight = kappa / (positives + kappa);
    const segments = segmentsAt(entries, positiveEnds(entries), slotOf);
    sweepGates(segments, rows.byPresence, multiplicities, gates, (gate) => {
      const moved = movedThreshold(exact[gate * classes + j]!, shared[gate]!, weight);
      const threshold = isFloat32 ? Math.fround(moved) : moved;
      thresholds[gate * classes + j] = threshold;
      const until = entriesAtLeast(rows, j, threshold);
      const { segment, predicted: before, truePositives } = cutBefore(segments, until);
      let predicted = before;
      // What stands between two positives is counted entry by entry.
      const gatePresence = gates[gate]!.presence ?? Number.NaN;
      for (let k = segment < 0 ? 0 : segments.ends[segment]!; k < until; k++) {
        const row = entries[k]! >>> ROW_SHIFT;
        if (rows.presence[row]! >= gatePresence) predicted += multiplicities[row]!;
      }
      const falsePositives = predicted - truePositives;
      macroFBeta[gate] =
        macroFBeta[gate]! +
        fBeta({ truePositives, falsePositives, falseNegatives: positives - truePositives }, beta) / classes;
      return -1;
    });
  });
  return { gates, thresholds, macroFBeta };
}

function movedThreshold(threshold: number, shared: number, weight: number): number {
  if (threshold === Number.POSITIVE_INFINITY) return threshold;
  return sigmoid((1 - weight) * finiteLogit(threshold) + weight * finiteLogit(shared));
}

function finiteLogit(probability: number): number {
  return Math.max(-LARGEST_LOGIT, Math.min(LARGEST_LOGIT, logit(probability)));
}

/**
 * At each gate the threshold with the highest mean F_β if all classes had the same: one of 256 even ranks of the positives'
 * scores, which is close enough for a target that thresholds only lean toward; among equals the largest.
 */
function sharedThresholds(
  sample: DecisionSample,
  gates: SweptGates['gates'],
  beta: number,
  slotOf: Uint32Array,
): Float64Array {
  const { rows, multiplicities } = sample;
  const candidates = evenPositiveScores(sample);
  const sums = new Float64Array(gates.length * candidates.length);
  const square = beta * beta;
  rows.classes.forEach((entries, j) => {
    const positives = positivesOf(entries, multiplicities);
    if (positives === 0) return;
    const ends = Uint32Array.from(candidates, (candidate) => entriesAtLeast(rows, j, candidate));
    const segments = segmentsAt(entries, ends, slotOf);
    const { counts } = segments;
    sweepGates(segments, rows.byPresence, multiplicities, gates, (gate) => {
      let predicted = 0;
      let truePositives = 0;
      for (let c = 0; c < ends.length; c++) {
        predicted += counts[2 * c]!;
        truePositives += counts[2 * c + 1]!;
        const at = gate * ends.length + c;
        // F_β, up to the factor 1 + β² that all have.
        sums[at] = sums[at]! + truePositives / (predicted + square * positives);
      }
      return -1;
    });
  });
  return Float64Array.from(gates, (_, gate) => {
    const from = gate * candidates.length;
    let best = 0;
    for (let c = 1; c < candidates.length; c++) if (sums[from + c]! > sums[from + best]!) best = c;
    return candidates[best]!;
  });
}

/** Scores at ranks i / 256 among all entries whose class is present, from the highest to the lowest, each once. */
function evenPositiveScores({ rows, multiplicities }: DecisionSample): number[] {
  const total = rows.classes.reduce((sum, entries) => sum + positivesOf(entries, multiplicities), 0);
  if (total === 0) return [];
  const scores = new Float64Array(total);
  let filled = 0;
  rows.classes.forEach((entries, j) => {
    entries.forEach((entry, k) => {
      if (!(entry & IS_PRESENT)) return;
      const times = multiplicities[entry >>> ROW_SHIFT]!;
      scores.fill(scoreOfEntry(rows, j, k), filled, filled + times);
      filled += times;
    });
  });
  scores.sort();
  const ranks = Array.from({ length: SHARED_CANDIDATES }, (_, i) =>
    Math.floor((i * total) / SHARED_CANDIDATES),
  );
  return [...new Set(ranks.map((rank) => scores[rank]!))].reverse();
}
