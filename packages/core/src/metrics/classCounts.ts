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

/** How often each row counts: 1 for the data as it is, anything else for a bootstrap replicate. */
export type Multiplicities = Uint16Array;

/** What a class's metrics are made of that depends on the order of its scores alone. */
export interface RankCounts {
  /** Rows in which the class is present, and in which it is absent. */
  readonly present: number;
  readonly absent: number;
  /** Rows in which it is absent and no other class is present either, or may be. */
  readonly absentInNegatives: number;
  readonly absentInUndecided: number;
  /** Σ (R_k - R_{k-1}) P_k over distinct scores; null where the class is never present. */
  readonly averagePrecision: number | null;
  /** The share of (present, absent) pairs in the right order, ties counted half; null without a pair. */
  readonly rocAuc: number | null;
}

/** What depends on the threshold. */
export interface PredictedCounts {
  readonly truePositives: number;
  readonly falsePositives: number;
  /** False positives in negative and in undecided rows. */
  readonly falsePositivesInNegatives: number;
  readonly falsePositivesInUndecided: number;
}

/** Walks a class from its highest score down. */
export function countRanks(entries: RankedClass, multiplicities: Multiplicities): RankCounts {
  let present = 0;
  let absentInNegatives = 0;
  let absentInUndecided = 0;
  let seen = 0;
  let seenBeforeTie = 0;
  let tiedPresent = 0;
  let precisionSum = 0;
  // Pairs in the wrong order: these change at present entries alone, of which there are few.
  let wrongPairs = 0;
  for (let k = 0; k < entries.length; k++) {
    const entry = entries[k]!;
    const times = multiplicities[entry >>> ROW_SHIFT]!;
    seen += times;
    if (entry & IS_PRESENT) tiedPresent += times;
    // Without a branch: whether the row is negative is a coin toss, which no processor predicts.
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

/** Counts the first `predicted` entries, which are those that count as predicted. */
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

/** The rows in which a class is present, from its highest score down. */
export function presentRowsOf(entries: RankedClass): Uint32Array {
  const present: number[] = [];
  for (let k = 0; k < entries.length; k++)
    if (entries[k]! & IS_PRESENT) present.push(entries[k]! >>> ROW_SHIFT);
  return Uint32Array.from(present);
}

/** How often some rows count together. */
export function timesOf(rows: Uint32Array, multiplicities: Multiplicities): number {
  let times = 0;
  for (let k = 0; k < rows.length; k++) times += multiplicities[rows[k]!]!;
  return times;
}
