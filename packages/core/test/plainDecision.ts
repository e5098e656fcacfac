// The specification of decisions in the plainest form: loops over rows and classes, for small inputs.

import { fBeta } from '../src/metrics/rates.js';
import type { ScoredRows } from './scoredRows.js';

export interface PlainGate {
  readonly presence: number;
  readonly thresholds: readonly number[];
  readonly macroFBeta: number;
  readonly falseAlarms: number;
  readonly f1Neg: number;
}

/** A presence score that no other reaches, not even Infinity. */
export const CLOSED = Number.NaN;

/** Whether a row is known to be positive, known to be negative, or neither. */
function plainKind(labels: readonly number[]): 'positive' | 'negative' | 'undecided' {
  if (labels.some((label) => label >= 0.5)) return 'positive';
  return labels.some(Number.isNaN) ? 'undecided' : 'negative';
}

/** Returns the rows of a table with their presence scores. */
export function plainRows({ scores, targets, classNames }: ScoredRows) {
  const classes = classNames.length;
  return Array.from({ length: scores.length / classes }, (_, row) => {
    const probabilities = Array.from(scores.slice(row * classes, (row + 1) * classes));
    const labels = targets.slice(row * classes, (row + 1) * classes);
    const presence = probabilities.reduce((sum, probability) => sum - Math.log1p(-probability), 0);
    return { probabilities, labels, presence, kind: plainKind(labels) };
  });
}

type PlainRow = ReturnType<typeof plainRows>[number];

/** Returns the metrics of a gate with thresholds. */
export function plainMetrics(
  rows: readonly PlainRow[],
  presence: number,
  thresholds: readonly number[],
  beta: number,
): PlainGate {
  const isPredicted = (row: PlainRow, j: number) =>
    row.presence >= presence && row.probabilities[j]! >= thresholds[j]!;
  const anyPredicted = (row: PlainRow) => thresholds.some((_, j) => isPredicted(row, j));
  const perClass = thresholds.map((_, j) => {
    const count = (label: number, predicted: boolean) =>
      rows.filter((row) => row.labels[j] === label && isPredicted(row, j) === predicted).length;
    return fBeta(
      { truePositives: count(1, true), falsePositives: count(0, true), falseNegatives: count(1, false) },
      beta,
    );
  });
  const count = (kind: PlainRow['kind'], predicted: boolean) =>
    rows.filter((row) => row.kind === kind && anyPredicted(row) === predicted).length;
  const falseAlarms = count('negative', true);
  return {
    presence,
    thresholds,
    macroFBeta: perClass.reduce((sum, value) => sum + value, 0) / perClass.length,
    falseAlarms,
    f1Neg: fBeta(
      {
        truePositives: count('negative', false),
        falsePositives: count('positive', false),
        falseNegatives: falseAlarms,
      },
      1,
    ),
  };
}

/** Returns, for each class, the largest score among passing rows that gives the highest F_β; Infinity if that is 0. */
export function plainThresholds(rows: readonly PlainRow[], presence: number, beta: number): number[] {
  const passing = rows.filter((row) => row.presence >= presence);
  return rows[0]!.labels.map((_, j) => {
    let best = { threshold: Number.POSITIVE_INFINITY, value: 0 };
    const scores = passing.filter((row) => !Number.isNaN(row.labels[j])).map((row) => row.probabilities[j]!);
    for (const threshold of [...new Set(scores)].sort((a, b) => b - a)) {
      const predicted = passing.filter((row) => row.probabilities[j]! >= threshold);
      const truePositives = predicted.filter((row) => row.labels[j] === 1).length;
      const falsePositives = predicted.filter((row) => row.labels[j] === 0).length;
      const falseNegatives = rows.filter((row) => row.labels[j] === 1).length - truePositives;
      const value = fBeta({ truePositives, falsePositives, falseNegatives }, beta);
      if (value > best.value) best = { threshold, value };
    }
    return best.threshold;
  });
}

/** Returns the best gate at any presence score; with fewer than 256 rows, all of them are candidates. */
export function plainBestGate(
  rows: readonly PlainRow[],
  beta: number,
  isWithin: (gate: PlainGate) => boolean,
): PlainGate | undefined {
  const presences = [...new Set(rows.map((row) => row.presence)), 0].sort((a, b) => b - a);
  let best: PlainGate | undefined;
  for (const presence of [CLOSED, ...presences]) {
    const gate = plainMetrics(rows, presence, plainThresholds(rows, presence, beta), beta);
    if (isWithin(gate) && gate.macroFBeta > (best?.macroFBeta ?? -1) + 1e-12) best = gate;
  }
  return best;
}
