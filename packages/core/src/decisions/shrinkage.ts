// With few positives, a per-class threshold overfits. Its logit is moved toward that of the best shared threshold with
// weight κ / (n + κ), where n is the number of the class's positives: as if κ more positives had favored the shared one.

import { logit, sigmoid } from '../losses/logisticTerms.js';
import { timesOf } from '../metrics/classCounts.js';
import { entriesAtLeast, ROW_SHIFT } from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import { cutBefore, sweepGates } from './classSweep.js';
import type { DecisionSample } from './decisionRows.js';
import { segmentsOf } from './segments.js';
import { fillSlots, newSlots, type Slots } from './slots.js';
import type { SweptGates, ThresholdFit } from './sweptGates.js';

const SHARED_CANDIDATES = 256;
// Beyond this, probabilities are 0 or 1 in float64.
const LARGEST_LOGIT = 36.7;

/** Moves the fitted thresholds, and returns them with the resulting mean F_β at each gate. */
export function shrunkFit(
  sample: DecisionSample,
  { gates, thresholds: exact }: SweptGates,
  { beta, kappa }: ThresholdFit,
): SweptGates {
  const { rows, multiplicities } = sample;
  const classes = rows.classNames.length;
  const thresholds = new Float64Array(exact.length).fill(Number.POSITIVE_INFINITY);
  const macroFBeta = new Float64Array(gates.length);
  const shared = sharedThresholds(sample, gates, beta);
  const isFloat32 = rows.scores instanceof Float32Array;
  rows.columns.forEach(({ presentRows, ends, slots }, j) => {
    const entries = rows.classes[j]!;
    const positives = timesOf(presentRows, multiplicities);
    const weight = kappa / (positives + kappa);
    const segments = segmentsOf(sample.kept?.segments, ends, slots());
    sweepGates(segments, sample, gates, (gate) => {
      const moved = movedThreshold(exact[gate * classes + j]!, shared[gate]!, weight);
      const threshold = isFloat32 ? Math.fround(moved) : moved;
      thresholds[gate * classes + j] = threshold;
      const until = entriesAtLeast(rows, j, threshold);
      const { segment, predicted: before, truePositives } = cutBefore(segments, until);
      let predicted = before;
      // Entries between two positives are counted one by one.
      const { passing } = gates[gate]!;
      for (let k = segment < 0 ? 0 : ends[segment]!; k < until; k++) {
        const row = entries[k]! >>> ROW_SHIFT;
        if (rows.positionOf[row]! < passing) predicted += multiplicities[row]!;
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
  // There and back through the logit, a score may miss itself by its last bit, and engines differ in which do.
  if (threshold === shared) return threshold;
  return sigmoid((1 - weight) * finiteLogit(threshold) + weight * finiteLogit(shared));
}

function finiteLogit(probability: number): number {
  return Math.max(-LARGEST_LOGIT, Math.min(LARGEST_LOGIT, logit(probability)));
}

/**
 * Returns, for each gate, the shared threshold with the highest mean F_β; among equals the largest. Candidates are the
 * positives' scores at 256 evenly spaced ranks, which is precise enough for a value that thresholds only move toward.
 */
function sharedThresholds(sample: DecisionSample, gates: SweptGates['gates'], beta: number): Float64Array {
  const { rows, multiplicities } = sample;
  const { candidates, column } = sharedColumns(sample);
  const sums = new Float64Array(gates.length * candidates.length);
  const square = beta * beta;
  rows.columns.forEach(({ presentRows }, j) => {
    const positives = timesOf(presentRows, multiplicities);
    if (positives === 0) return;
    const { ends, slots } = column(j);
    const segments = segmentsOf(sample.kept?.segments, ends, slots);
    const { counts } = segments;
    sweepGates(segments, sample, gates, (gate) => {
      let predicted = 0;
      let truePositives = 0;
      for (let c = 0; c < ends.length; c++) {
        predicted += counts[2 * c]!;
        truePositives += counts[2 * c + 1]!;
        const at = gate * ends.length + c;
        // F_β, up to the common factor 1 + β².
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

/** Returns the candidates and what a class's sweep needs: kept for many fits; otherwise each class reuses the same slots. */
function sharedColumns(sample: DecisionSample) {
  const { rows, kept } = sample;
  const candidates = kept?.sharedColumns?.candidates ?? evenPositiveScores(sample);
  const filled = (j: number, slots: Slots) => {
    const ends = Uint32Array.from(candidates, (candidate) => entriesAtLeast(rows, j, candidate));
    return { ends, slots: fillSlots(slots, rows.classes[j]!, ends, rows.positionOf) };
  };
  if (!kept) {
    const slots = newSlots(rows.rows, candidates.length);
    return { candidates, column: (j: number) => filled(j, slots) };
  }
  kept.sharedColumns ??= {
    candidates,
    columns: rows.classes.map((_, j) => filled(j, newSlots(rows.rows, candidates.length))),
  };
  const { columns } = kept.sharedColumns;
  return { candidates, column: (j: number) => columns[j]! };
}

/** Returns the distinct scores at ranks i / 256 among all entries with the class present, from the highest to the lowest. */
function evenPositiveScores({ rows, multiplicities }: DecisionSample): number[] {
  const classes = rows.columns.length;
  const total = rows.columns.reduce((sum, { presentRows }) => sum + timesOf(presentRows, multiplicities), 0);
  if (total === 0) return [];
  const scores = new Float64Array(total);
  let filled = 0;
  rows.columns.forEach(({ presentRows }, j) => {
    for (const row of presentRows) {
      const until = filled + multiplicities[row]!;
      while (filled < until) scores[filled++] = rows.scores[row * classes + j]!;
    }
  });
  scores.sort();
  const ranks = Array.from({ length: SHARED_CANDIDATES }, (_, i) =>
    Math.floor((i * total) / SHARED_CANDIDATES),
  );
  return [...new Set(ranks.map((rank) => scores[rank]!))].reverse();
}
