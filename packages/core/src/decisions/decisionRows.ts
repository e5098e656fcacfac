import { ROW_NEGATIVE, ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import { type Multiplicities, presentRowsOf } from '../metrics/classCounts.js';
import { type RankedScores, rankClasses } from '../metrics/rankedClasses.js';
import { checkScored, presenceOf, type Scored, UNKNOWN } from '../metrics/scored.js';
import { descendingKey, scoreSorter } from '../metrics/scoreSorter.js';
import type { Segments } from './segments.js';
import { fillSlots, newSlots, positiveEnds, type Slots } from './slots.js';

/** Scored rows, sorted once for any number of fits; a bootstrap replicate repeats the fit with other multiplicities. */
export interface DecisionRows extends RankedScores {
  /** The presence score of each row. */
  readonly presence: Float64Array;
  /** The rows from the highest presence score down; next, the place of each row in that order. */
  readonly byPresence: Uint32Array;
  readonly positionOf: Uint32Array;
  readonly columns: readonly ClassColumn[];
  /** The ranked scores including those with unknown labels, which are predicted like any other. */
  readonly predictable: RankedScores;
}

/** What all fits of one class share. */
export interface ClassColumn {
  /** The rows in which the class is present, from its highest score down. */
  readonly presentRows: Uint32Array;
  /** Where segments of its ranked entries end; each ends with the scores tied to a positive. */
  readonly ends: Uint32Array;
  /** Returns the segment of each row. Kept for many fits; for a single fit, one shared array is rewritten to save memory. */
  slots(): Slots;
}

/** Rows with how often each counts: once for the original data, any number of times for a bootstrap replicate. */
export interface DecisionSample {
  readonly rows: DecisionRows;
  readonly multiplicities: Multiplicities;
  /** The multiplicities from the highest presence score down. */
  readonly timesByPresence: Multiplicities;
  readonly totals: RowTotals;
  /** What fits repeat on the same sample, kept for the next one; only for many fits on one sample. */
  readonly kept?: KeptForFits;
}

export interface KeptForFits {
  /** Of fits with shrinkage. */
  sharedColumns?: SharedColumns;
  /** What the last sweep counted, by the slots that it counted with. */
  readonly segments: Map<Slots, Segments>;
}

/** The candidates for a shared threshold, and the place of every row among them in each class. */
export interface SharedColumns {
  readonly candidates: readonly number[];
  readonly columns: readonly { readonly ends: Uint32Array; readonly slots: Slots }[];
}

/** How many rows of each kind there are, counted with multiplicity. */
export interface RowTotals {
  readonly all: number;
  readonly positives: number;
  readonly negatives: number;
  readonly undecided: number;
}

/** Checks, ranks and sorts rows, for a single fit or for many. */
export function prepareDecisionRows(scored: Scored, fits: 'one fit' | 'many fits' = 'one fit'): DecisionRows {
  const checked = checkScored(scored);
  const sorter = scoreSorter(checked.rows);
  const ranked = rankClasses(checked, sorter);
  const presence = presenceOf(ranked);
  const predictable = checked.labels.includes(UNKNOWN)
    ? rankClasses({ ...checked, labels: new Int8Array(checked.labels.length) }, sorter)
    : ranked;
  const byPresence = rowsByScore(presence, sorter);
  const positionOf = new Uint32Array(byPresence.length);
  byPresence.forEach((row, position) => {
    positionOf[row] = position;
  });
  const allEnds = ranked.classes.map(positiveEnds);
  const shared = newSlots(ranked.rows, Math.max(...allEnds.map((ends) => ends.length)));
  const columns = ranked.classes.map((entries, j): ClassColumn => {
    const ends = allEnds[j]!;
    const presentRows = presentRowsOf(entries);
    if (fits === 'one fit') {
      return { presentRows, ends, slots: () => fillSlots(shared, entries, ends, positionOf) };
    }
    const slots = fillSlots(newSlots(ranked.rows, ends.length), entries, ends, positionOf);
    return { presentRows, ends, slots: () => slots };
  });
  return { ...ranked, presence, byPresence, positionOf, columns, predictable };
}

/** Returns the row numbers from the highest score to the lowest. */
export function rowsByScore(scores: Float64Array, sorter = scoreSorter(scores.length)): Uint32Array {
  const words = new Uint32Array(scores.buffer, scores.byteOffset, 2 * scores.length);
  for (let row = 0; row < scores.length; row++) {
    sorter.keys[row] = descendingKey(words[2 * row + 1]!);
    sorter.entries[row] = row << 1;
  }
  const sorted = new Uint32Array(scores.length);
  sorter.sort(scores.length, (entry) => scores[entry >>> 1]!, 1, sorted);
  for (let k = 0; k < sorted.length; k++) sorted[k] = sorted[k]! >>> 1;
  return sorted;
}

/** Returns how many rows, sorted by descending score, have a score of at least `least`. */
export function rowsAtLeast(sorted: Uint32Array, scores: Float64Array, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (scores[sorted[middle]!]! >= least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Makes a sample of prepared rows; by default each counts once. */
export function sampleOf(
  rows: DecisionRows,
  multiplicities: Multiplicities = new Uint16Array(rows.rows).fill(1),
): DecisionSample {
  const sums = [0, 0, 0];
  rows.rowKinds.forEach((kind, row) => {
    sums[kind] = sums[kind]! + multiplicities[row]!;
  });
  const [positives, negatives, undecided] = [sums[ROW_POSITIVE]!, sums[ROW_NEGATIVE]!, sums[ROW_UNDECIDED]!];
  const totals = { all: positives + negatives + undecided, positives, negatives, undecided };
  const timesByPresence = new Uint16Array(rows.rows);
  rows.byPresence.forEach((row, position) => {
    timesByPresence[position] = multiplicities[row]!;
  });
  return { rows, multiplicities, timesByPresence, totals };
}
