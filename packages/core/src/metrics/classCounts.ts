import {
  ENDS_TIE,
  IN_NEGATIVE_ROW,
  IN_UNDECIDED_ROW,
  IS_PRESENT,
  type RankedClass,
  ROW_SHIFT,
} from './rankedClasses.js';

const NEGATIVE_BIT = Math.log2(IN_NEGATIVE_ROW);
const UNDECIDED_BIT = Math.log2(IN_UNDECIDED_ROW);

/** How often each row counts: 1 for the original data, any number for a bootstrap replicate. */
export type Multiplicities = Uint16Array;

/** The counts behind a class's metrics that depend only on the order of its scores. */
export interface RankCounts {
  /** Rows in which the class is present; next, rows in which it is absent. */
  readonly present: number;
  readonly absent: number;
  /** Of the rows in which it is absent, those in negative rows; next, those in undecided rows. */
  readonly absentInNegatives: number;
  readonly absentInUndecided: number;
  /** Σ (R_k - R_{k-1}) P_k over distinct scores; null if the class is never present. */
  readonly averagePrecision: number | null;
  /** The share of correctly ordered (present, absent) pairs, ties counted half; null without a pair. */
  readonly rocAuc: number | null;
}

/** The counts that depend on the threshold. */
export interface PredictedCounts {
  readonly truePositives: number;
  readonly falsePositives: number;
  /** False positives in negative and in undecided rows. */
  readonly falsePositivesInNegatives: number;
  readonly falsePositivesInUndecided: number;
}

/** Counts a class's entries from its highest score down. */
export function countRanks(entries: RankedClass, multiplicities: Multiplicities): RankCounts {
  let present = 0;
  let absentInNegatives = 0;
  let absentInUndecided = 0;
  let seen = 0;
  let seenBeforeTie = 0;
  let tiedPresent = 0;
  let precisionSum = 0;
  // Pairs in the wrong order; these change only at present entries, of which there are few.
  let wrongPairs = 0;
  for (let k = 0; k < entries.length; k++) {
    const entry = entries[k]!;
    const times = multiplicities[entry >>> ROW_SHIFT]!;
    seen += times;
    if (entry & IS_PRESENT) tiedPresent += times;
    // Branch-free: whether the row is negative is unpredictable for the processor.
    absentInNegatives += times * ((entry >>> NEGATIVE_BIT) & 1);
    absentInUndecided += times * ((entry >>> UNDECIDED_BIT) & 1);
    if (!(entry & ENDS_TIE)) continue;
    if (tiedPresent > 0) {
      const absentBefore = seenBeforeTie - present;
      const tiedAbsent = seen - seenBeforeTie - tiedPresent;
      wrongPairs += tiedPresent * (absentBefore + tiedAbsent / 2);
      present += tiedPresent;
      precisionSum += (tiedPresent * present) / seen;
      tiedPresent = 0;
    }
    seenBeforeTie = seen;
  }
  const absent = seen - present;
  return {
    present,
    absent,
    absentInNegatives,
    absentInUndecided,
    averagePrecision: present > 0 ? precisionSum / present : null,
    rocAuc: present > 0 && absent > 0 ? (present * absent - wrongPairs) / (present * absent) : null,
  };
}

/** Counts the first `predicted` entries, which are the predicted ones. */
export function countPredicted(
  entries: RankedClass,
  predicted: number,
  multiplicities: Multiplicities,
): PredictedCounts {
  let seen = 0;
  let truePositives = 0;
  let falsePositivesInNegatives = 0;
  let falsePositivesInUndecided = 0;
  for (let k = 0; k < predicted; k++) {
    const entry = entries[k]!;
    const times = multiplicities[entry >>> ROW_SHIFT]!;
    seen += times;
    truePositives += times * (entry & IS_PRESENT);
    falsePositivesInNegatives += times * ((entry >>> NEGATIVE_BIT) & 1);
    falsePositivesInUndecided += times * ((entry >>> UNDECIDED_BIT) & 1);
  }
  return {
    truePositives,
    falsePositives: seen - truePositives,
    falsePositivesInNegatives,
    falsePositivesInUndecided,
  };
}

/** Returns the rows in which a class is present, from its highest score down. */
export function presentRowsOf(entries: RankedClass): Uint32Array {
  const present: number[] = [];
  for (let k = 0; k < entries.length; k++)
    if (entries[k]! & IS_PRESENT) present.push(entries[k]! >>> ROW_SHIFT);
  return Uint32Array.from(present);
}

/** Returns how often the given rows count in total. */
export function timesOf(rows: Uint32Array, multiplicities: Multiplicities): number {
  let times = 0;
  for (let k = 0; k < rows.length; k++) times += multiplicities[rows[k]!]!;
  return times;
}
