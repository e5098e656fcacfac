// Finds every class's best threshold at every gate.

import { timesOf } from '../metrics/classCounts.js';
import { scoreOfEntry } from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import { bestCut, sweepGates } from './classSweep.js';
import type { DecisionSample } from './decisionRows.js';
import type { Gate } from './gates.js';
import { segmentsOf } from './segments.js';
import { shrunkFit } from './shrinkage.js';
import type { SweptGates, ThresholdFit } from './sweptGates.js';

/** Fits thresholds at each gate; gates are ordered from the highest to the lowest. */
export function sweepClasses(
  sample: DecisionSample,
  gates: readonly Gate[],
  { beta, kappa }: ThresholdFit,
): SweptGates {
  const exact = exactFit(sample, gates, beta);
  return kappa === 0 ? exact : shrunkFit(sample, exact, { beta, kappa });
}

function exactFit(sample: DecisionSample, gates: readonly Gate[], beta: number): SweptGates {
  const { rows, multiplicities } = sample;
  const classes = rows.classNames.length;
  const thresholds = new Float64Array(gates.length * classes).fill(Number.POSITIVE_INFINITY);
  const macroFBeta = new Float64Array(gates.length);
  rows.columns.forEach(({ presentRows, ends, slots }, j) => {
    const positives = timesOf(presentRows, multiplicities);
    const segments = segmentsOf(sample.kept?.segments, ends, slots());
    let last = -1;
    let threshold = Number.POSITIVE_INFINITY;
    let share = 0;
    sweepGates(segments, sample, gates, (gate, isChanged) => {
      if (isChanged) {
        const { segment, predicted, truePositives } = bestCut(segments, beta * beta * positives, last);
        const falsePositives = predicted - truePositives;
        last = segment;
        threshold = last < 0 ? Number.POSITIVE_INFINITY : scoreOfEntry(rows, j, ends[last]! - 1);
        share =
          fBeta({ truePositives, falsePositives, falseNegatives: positives - truePositives }, beta) / classes;
      }
      thresholds[gate * classes + j] = threshold;
      macroFBeta[gate] = macroFBeta[gate]! + share;
      return last;
    });
  });
  return { gates, thresholds, macroFBeta };
}
