// All metrics in four bootstrap replicates at a time. What does not change from one replicate to the next is found once: where positives
// stand among the ranked scores, which entries are predicted, and which rows are of which kind and outcome.

import { ROW_NEGATIVE } from '../labels/instancePresence.js';
import { countRanks, type PredictedCounts, type RankCounts } from './classCounts.js';
import { metricsAt, metricsOfCounts, ROW_CELLS, rowCells, rowCountsOf, STATES } from './measure.js';
import type { Measurement } from './measurement.js';
import type { Metrics } from './metrics.js';
import {
  addDraws,
  type DrawBatch,
  type DrawSums,
  drawsOfRows,
  PACKED_DRAWS,
  type PackedDraws,
} from './packedDraws.js';
import {
  ENDS_TIE,
  IN_NEGATIVE_ROW,
  IN_UNDECIDED_ROW,
  IS_PRESENT,
  type RankedClass,
  ROW_SHIFT,
} from './rankedClasses.js';

/** A model at several threshold settings, ready for any number of replicates. */
export interface DrawnModel {
  readonly settings: readonly Measurement[];
  readonly classes: readonly ClassTies[];
  readonly plans: readonly SettingPlan[];
}

/** Where a class is present among its ranked entries. */
export interface ClassTies {
  readonly entries: RankedClass;
  /** Where the tied scores around a present entry start and end. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The undecided rows in which the class is known to be absent. */
  readonly undecided: Uint32Array;
}

/** Without the count of negative rows, which is the same for all classes, since each is absent in them. */
type DrawnRanks = Omit<RankCounts, 'absentInNegatives'>;

interface SettingPlan {
  /** For each class, the rows in which it is predicted, by kind. */
  readonly predicted: readonly PredictedRows[];
  /** The rows of each kind and state. */
  readonly cells: readonly Uint32Array[];
}

interface PredictedRows {
  readonly present: Uint32Array;
  /** Rows in which the class is absent: in negatives, in undecided rows, and in positives. */
  readonly negatives: Uint32Array;
  readonly undecided: Uint32Array;
  readonly positives: Uint32Array;
}

/** Prepares a model. */
export function prepareDraws(settings: readonly Measurement[]): DrawnModel {
  return {
    settings,
    classes: settings[0]!.ranked.classes.map(tiesOf),
    plans: settings.map((setting) => ({
      predicted: setting.ranked.classes.map((entries, j) =>
        predictedRows(entries.subarray(0, setting.predicted[j]), setting.passes),
      ),
      cells: rowsByCell(rowCells(setting)),
    })),
  };
}

/** Returns the metrics of each replicate at each setting; they equal those of `metricsAt`. */
export function metricsOfDraws(model: DrawnModel, { draws, packed }: DrawBatch): Metrics[][] {
  const { settings, plans } = model;
  if (packed === undefined) return draws.map((multiplicities) => metricsAt(settings, multiplicities));
  const tallies = plans.map(({ cells }) => cells.map((rows) => drawsOfRows(packed, rows)));
  const negatives = sumsOf(tallies[0]!.slice(STATES * ROW_NEGATIVE, STATES * (ROW_NEGATIVE + 1)));
  const ranks = model.classes.map((ties) => countDrawnRanks(ties, packed));
  const predicted = plans.map((plan) => plan.predicted.map((rows) => countDrawnPredicted(rows, packed)));
  return draws.map((multiplicities, d) =>
    settings.map((setting, s) =>
      metricsOfCounts(
        setting,
        ranks.map((rank, j) => ({
          ...rank[d]!,
          absentInNegatives: negatives[d]!,
          ...predicted[s]![j]![d]!,
        })),
        rowCountsOf(Float64Array.from(tallies[s]!, (sums) => sums[d]!)),
        multiplicities,
      ),
    ),
  );
}

/** Counts a model's ranks in each replicate: first by class, then by replicate. */
export function ranksOfDraws(classes: readonly ClassTies[], { draws, packed }: DrawBatch): DrawnRanks[][] {
  return classes.map((ties) =>
    packed === undefined
      ? draws.map((multiplicities) => countRanks(ties.entries, multiplicities))
      : countDrawnRanks(ties, packed),
  );
}

/** Finds where a class is present. */
export function tiesOf(entries: RankedClass): ClassTies {
  const starts: number[] = [];
  const ends: number[] = [];
  let start = 0;
  let isPresent = false;
  for (let k = 0; k < entries.length; k++) {
    const entry = entries[k]!;
    if (entry & IS_PRESENT) isPresent = true;
    if (!(entry & ENDS_TIE)) continue;
    if (isPresent) {
      starts.push(start);
      ends.push(k + 1);
    }
    start = k + 1;
    isPresent = false;
  }
  return {
    entries,
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
    undecided: rowsWhere(entries, (entry) => (entry & IN_UNDECIDED_ROW) !== 0),
  };
}

/** Does what `countRanks` does, for each of four replicates. */
function countDrawnRanks({ entries, starts, ends, undecided }: ClassTies, packed: PackedDraws): DrawnRanks[] {
  const seen = new Float64Array(PACKED_DRAWS);
  const present = new Float64Array(PACKED_DRAWS);
  const precisionSums = new Float64Array(PACKED_DRAWS);
  // Pairs in the wrong order.
  const wrongPairs = new Float64Array(PACKED_DRAWS);
  const seenBeforeTie = new Float64Array(PACKED_DRAWS);
  const tied = new Float64Array(PACKED_DRAWS);
  let at = 0;
  for (let t = 0; t < starts.length; t++) {
    const start = starts[t]!;
    const end = ends[t]!;
    addDraws(packed, entries, ROW_SHIFT, at, start, seen);
    for (let d = 0; d < PACKED_DRAWS; d++) seenBeforeTie[d] = seen[d]!;
    addPresent(packed, entries, start, end, seen, tied);
    for (let d = 0; d < PACKED_DRAWS; d++) {
      const tiedPresent = tied[d]!;
      if (tiedPresent === 0) continue;
      const absentBefore = seenBeforeTie[d]! - present[d]!;
      const tiedAbsent = seen[d]! - seenBeforeTie[d]! - tiedPresent;
      wrongPairs[d] = wrongPairs[d]! + tiedPresent * (absentBefore + tiedAbsent / 2);
      present[d] = present[d]! + tiedPresent;
      precisionSums[d] = precisionSums[d]! + (tiedPresent * present[d]!) / seen[d]!;
    }
    at = end;
  }
  addDraws(packed, entries, ROW_SHIFT, at, entries.length, seen);
  const inUndecided = drawsOfRows(packed, undecided);
  return Array.from({ length: PACKED_DRAWS }, (_, d) => {
    const count = present[d]!;
    const absent = seen[d]! - count;
    return {
      present: count,
      absent,
      absentInUndecided: inUndecided[d]!,
      averagePrecision: count > 0 ? precisionSums[d]! / count : null,
      rocAuc: count > 0 && absent > 0 ? (count * absent - wrongPairs[d]!) / (count * absent) : null,
    };
  });
}

/** Adds a tie to `seen`, and writes into `tied` how often the class is present in it. */
function addPresent(
  packed: PackedDraws,
  entries: RankedClass,
  from: number,
  to: number,
  seen: DrawSums,
  tied: DrawSums,
): void {
  tied.fill(0);
  for (let k = from; k < to; k++) {
    const entry = entries[k]!;
    const word = packed[entry >>> ROW_SHIFT]!;
    const isPresent = entry & IS_PRESENT;
    for (let d = 0; d < PACKED_DRAWS; d++) {
      const times = (word >>> (8 * d)) & 0xff;
      seen[d] = seen[d]! + times;
      tied[d] = tied[d]! + times * isPresent;
    }
  }
}

function countDrawnPredicted(rows: PredictedRows, packed: PackedDraws): PredictedCounts[] {
  const present = drawsOfRows(packed, rows.present);
  const negatives = drawsOfRows(packed, rows.negatives);
  const undecided = drawsOfRows(packed, rows.undecided);
  const positives = drawsOfRows(packed, rows.positives);
  return Array.from({ length: PACKED_DRAWS }, (_, d) => ({
    truePositives: present[d]!,
    falsePositives: negatives[d]! + undecided[d]! + positives[d]!,
    falsePositivesInNegatives: negatives[d]!,
    falsePositivesInUndecided: undecided[d]!,
  }));
}

function predictedRows(entries: RankedClass, passes: Uint8Array | undefined): PredictedRows {
  const passing =
    passes === undefined ? entries : entries.filter((entry) => passes[entry >>> ROW_SHIFT] === 1);
  const kinds = IS_PRESENT | IN_NEGATIVE_ROW | IN_UNDECIDED_ROW;
  const ofKind = (kind: number) => rowsWhere(passing, (entry) => (entry & kinds) === kind);
  return {
    present: ofKind(IS_PRESENT),
    negatives: ofKind(IN_NEGATIVE_ROW),
    undecided: ofKind(IN_UNDECIDED_ROW),
    positives: ofKind(0),
  };
}

function rowsWhere(entries: RankedClass, isWanted: (entry: number) => boolean): Uint32Array {
  return entries.filter(isWanted).map((entry) => entry >>> ROW_SHIFT);
}

function rowsByCell(cells: Uint8Array): Uint32Array[] {
  const counts = new Uint32Array(ROW_CELLS);
  for (const cell of cells) counts[cell] = counts[cell]! + 1;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  cells.forEach((cell, row) => {
    rows[cell]![counts[cell]!] = row;
    counts[cell] = counts[cell]! + 1;
  });
  return rows;
}

function sumsOf(all: readonly DrawSums[]): DrawSums {
  const total = new Float64Array(PACKED_DRAWS);
  return total.map((_, d) => all.reduce((sum, sums) => sum + sums[d]!, 0));
}
