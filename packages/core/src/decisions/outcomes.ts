// How gates and thresholds affect whole rows: negatives that raise a false alarm, and positives that are missed. From one
// gate to the next, few thresholds move, and not far, so only the rows between the old and the new one are revisited.

import { ROW_NEGATIVE, ROW_POSITIVE } from '../labels/instancePresence.js';
import { entriesAtLeast, ROW_SHIFT } from '../metrics/rankedClasses.js';
import type { DecisionSample } from './decisionRows.js';
import type { SweptGates } from './sweptGates.js';

/** Counts of rows at each gate. */
export interface SweptOutcomes {
  /** Negatives with any prediction. */
  readonly falseAlarms: Float64Array;
  /** Positives without any prediction. */
  readonly missed: Float64Array;
}

/** Counts rows at each gate, with that gate's thresholds. */
export function sweepOutcomes(
  { rows, multiplicities, totals }: DecisionSample,
  { gates, thresholds }: Pick<SweptGates, 'gates' | 'thresholds'>,
): SweptOutcomes {
  const { rowKinds, byPresence, predictable } = rows;
  const falseAlarms = new Float64Array(gates.length);
  const missed = new Float64Array(gates.length);
  const classes = predictable.classes.length;
  const positions = new Uint32Array(classes);
  // For each row: how many classes are predicted if it passes, and whether it passes.
  const hits = new Uint16Array(rows.rows);
  const passes = new Uint8Array(rows.rows);
  // Rows that pass and have a prediction, by kind.
  const predicted = [0, 0, 0];
  const add = (row: number, sign: number) => {
    const kind = rowKinds[row]!;
    predicted[kind] = predicted[kind]! + sign * multiplicities[row]!;
  };
  let passed = 0;
  gates.forEach(({ passing }, gate) => {
    for (let j = 0; j < classes; j++) {
      const entries = predictable.classes[j]!;
      const until = entriesAtLeast(predictable, j, thresholds[gate * classes + j]!);
      let position = positions[j]!;
      for (; position < until; position++) {
        const row = entries[position]! >>> ROW_SHIFT;
        if (hits[row] === 0 && passes[row] === 1) add(row, 1);
        hits[row] = hits[row]! + 1;
      }
      while (position > until) {
        position--;
        const row = entries[position]! >>> ROW_SHIFT;
        hits[row] = hits[row]! - 1;
        if (hits[row] === 0 && passes[row] === 1) add(row, -1);
      }
      positions[j] = until;
    }
    for (; passed < passing; passed++) {
      const row = byPresence[passed]!;
      passes[row] = 1;
      if (hits[row]! > 0) add(row, 1);
    }
    falseAlarms[gate] = predicted[ROW_NEGATIVE]!;
    missed[gate] = totals.positives - predicted[ROW_POSITIVE]!;
  });
  return { falseAlarms, missed };
}
