import { ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import { entriesAtLeast, IS_PRESENT, type RankedScores, rankClasses } from '../metrics/rankedClasses.js';
import { type Confusion, fBeta, precision, recall, summed } from '../metrics/rates.js';
import { type CheckedScores, checkScored, type Scored, UNKNOWN } from '../metrics/scored.js';

/** Metrics of one yes-or-no decision, with an entry for each threshold. */
export interface DecisionCurve {
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly f1: readonly number[];
  readonly f2: readonly number[];
}

/** Metrics as functions of one threshold for all classes. */
export interface ThresholdCurves {
  readonly thresholds: readonly number[];
  readonly classNames: readonly string[];
  /** One curve per class. */
  readonly perClass: readonly DecisionCurve[];
  /** The mean over the classes. */
  readonly macro: DecisionCurve;
  /** From the summed counts. */
  readonly micro: DecisionCurve;
  /** 'Any class predicted' versus positive rows. */
  readonly anyClass: DecisionCurve;
  /** 'No class predicted' versus negative rows. */
  readonly noClass: DecisionCurve;
}

/**
 * Computes metrics at each of the given thresholds (default 0, 0.01, … 1), per class and overall.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.8, 0.4, 0.3]), targets: [1, 0, 1, 0], classNames: ['crack'] };
 * thresholdCurves(scored, [0.35, 0.85]).macro.recall // [1, 0.5]
 */
export function thresholdCurves(
  scored: Scored,
  thresholds: readonly number[] = hundredths(),
): ThresholdCurves {
  const nan = thresholds.findIndex(Number.isNaN);
  if (nan >= 0) throw new RangeError(`thresholds[${nan}] is NaN; expected a number`);
  const checked = checkScored(scored);
  const inPrecision = checked.scores instanceof Float32Array ? thresholds.map(Math.fround) : thresholds;
  const ranked = rankClasses(checked);
  const perClass = ranked.classNames.map((_, j) => confusionsAt(ranked, j, inPrecision));
  const anyClass = confusionsAt(rankClasses(highestScores(checked)), 0, inPrecision);
  const decidedRows = checked.rowKinds.reduce((sum, kind) => sum + (kind === ROW_UNDECIDED ? 0 : 1), 0);
  const curves = perClass.map(curveOf);
  return {
    thresholds,
    classNames: ranked.classNames,
    perClass: curves,
    macro: {
      precision: meanOf(curves, 'precision'),
      recall: meanOf(curves, 'recall'),
      f1: meanOf(curves, 'f1'),
      f2: meanOf(curves, 'f2'),
    },
    micro: curveOf(thresholds.map((_, t) => summed(perClass.map((confusions) => confusions[t]!)))),
    anyClass: curveOf(anyClass),
    noClass: curveOf(anyClass.map((confusion) => opposite(confusion, decidedRows))),
  };
}

function hundredths(): number[] {
  return Array.from({ length: 101 }, (_, i) => i / 100);
}

function confusionsAt(ranked: RankedScores, j: number, thresholds: readonly number[]): Confusion[] {
  const entries = ranked.classes[j]!;
  const presentBefore = new Uint32Array(entries.length + 1);
  for (let k = 0; k < entries.length; k++) {
    presentBefore[k + 1] = presentBefore[k]! + (entries[k]! & IS_PRESENT);
  }
  const present = presentBefore[entries.length]!;
  return thresholds.map((threshold) => {
    const predicted = entriesAtLeast(ranked, j, threshold);
    const truePositives = presentBefore[predicted]!;
    return {
      truePositives,
      falsePositives: predicted - truePositives,
      falseNegatives: present - truePositives,
    };
  });
}

/** Treats 'any class' as one class: a row is predicted if its highest score is. */
function highestScores({ scores, rowKinds, rows, classNames }: CheckedScores): CheckedScores {
  const classes = classNames.length;
  const highest = new Float64Array(rows).fill(Number.NEGATIVE_INFINITY);
  const anyLabels = new Int8Array(rows);
  for (let i = 0, row = 0; row < rows; row++) {
    for (let j = 0; j < classes; j++, i++) {
      if (scores[i]! > highest[row]!) highest[row] = scores[i]!;
    }
    const kind = rowKinds[row];
    anyLabels[row] = kind === ROW_UNDECIDED ? UNKNOWN : Number(kind === ROW_POSITIVE);
  }
  return { scores: highest, labels: anyLabels, rowKinds, rows, classNames: ['any class'] };
}

function opposite({ truePositives, falsePositives, falseNegatives }: Confusion, rows: number): Confusion {
  return {
    truePositives: rows - truePositives - falsePositives - falseNegatives,
    falsePositives: falseNegatives,
    falseNegatives: falsePositives,
  };
}

function curveOf(confusions: readonly Confusion[]): DecisionCurve {
  return {
    precision: confusions.map(precision),
    recall: confusions.map(recall),
    f1: confusions.map((confusion) => fBeta(confusion, 1)),
    f2: confusions.map((confusion) => fBeta(confusion, 2)),
  };
}

function meanOf(curves: readonly DecisionCurve[], metric: keyof DecisionCurve): number[] {
  return curves[0]![metric].map(
    (_, t) => curves.reduce((sum, curve) => sum + curve[metric][t]!, 0) / curves.length,
  );
}
