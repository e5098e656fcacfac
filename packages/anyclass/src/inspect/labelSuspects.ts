// Labels that contradict a model. In held-out images, by its scores; in training images, which a network learns by heart in the end, by
// their logits over all epochs before that: Pleiss et al., "Identifying Mislabeled Data using the Area Under the Margin Ranking",
// NeurIPS 2020. Each is ranked by the odds against it, as in Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty
// in Dataset Labels", JAIR 2021, after a calibration of each class.

import { fitPlatt } from '@anyclass/core';
import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import { foundImages } from './foundImages.js';
import type { LabelSuspect, SuspectSource } from './inspection.js';

/** A model's numbers, row by row, with one entry per class. */
export interface SavedScores {
  readonly names: readonly string[];
  readonly classNames: readonly string[];
  readonly values: ArrayLike<number>;
}

/** With fewer images of a class, its typical value is unknown. */
const enough = 5;

/** A missing label makes its image a false negative, which raises the gate for all others. */
const costOfNegative = 2;

/**
 * The doubtful labels, those that cost most first: a class that is not labeled but scores like labeled images, or that is labeled
 * but scores like unlabeled ones. A missing label in an image that counts as negative costs more, because gates are fitted on
 * negatives. Labels are the dataset's current ones; numbers are matched by name; unknown labels contradict nothing.
 *
 * @example
 * labelSuspects(dataset, [await readTable('runs/sewer/scores/test.csv')], await readTable('runs/sewer/margins.csv'))[0] // { name: '7.png', class: 'crack', kind: 'missing', … }
 */
export function labelSuspects(
  dataset: Dataset,
  scores: readonly SavedScores[],
  margins?: SavedScores | undefined,
): LabelSuspect[] {
  const rowOf = new Map(
    Array.from({ length: dataset.names.length }, (_, row) => [dataset.names.at(row), row]),
  );
  const inSplit = new Uint8Array(dataset.names.length);
  for (const split of splitNames) for (const row of dataset.splits[split]) inSplit[row] = 1;
  const known = (table: SavedScores, className: string, toLogit: (value: number) => number): Known[] => {
    const at = table.classNames.indexOf(className);
    const j = dataset.classes.indexOf(className);
    return table.names.flatMap((name, i) => {
      const row = rowOf.get(name);
      if (at < 0 || row === undefined || inSplit[row] === 0) return [];
      const target = dataset.labels.at(row, j);
      const value = table.values[i * table.classNames.length + at]!;
      return Number.isNaN(target) || Number.isNaN(value)
        ? []
        : [{ row, logit: toLogit(value), isPresent: target >= 0.5 }];
    });
  };
  const imageOf = foundImages(dataset);
  const suspects = dataset.classes.flatMap((className) => {
    const heldOut = scores.flatMap((table) => known(table, className, logit));
    const trained = margins ? known(margins, className, (value) => value) : [];
    return [...doubtful(heldOut, 'scores'), ...doubtful(trained, 'margins')].map((found) => {
      const image = imageOf(found.row);
      const isNegative = dataset.labels.presence(found.row) === 'negative';
      const { doubt, kind, source } = found;
      return {
        ...image,
        class: className,
        kind,
        source,
        score: sigmoid(found.logit),
        typical: sigmoid(found.typical),
        cost: doubt + (isNegative && kind === 'missing' ? Math.log(costOfNegative) : 0),
      };
    });
  });
  return suspects.sort((a, b) => b.cost - a.cost || a.row - b.row).map(({ cost: _, ...suspect }) => suspect);
}

/** A label and what a model makes of it. */
interface Known {
  readonly row: number;
  readonly logit: number;
  readonly isPresent: boolean;
}

interface Doubtful extends Known {
  readonly kind: LabelSuspect['kind'];
  readonly source: SuspectSource;
  /** The typical logit of images with the opposite label. */
  readonly typical: number;
  /** The log odds that the label is wrong, up to a constant. */
  readonly doubt: number;
}

/** The least log odds to report: the model, if it had not seen the label, would bet about 3 to 1 against it. */
const leastDoubt = 1;

/**
 * The labels that the model would bet against. A line through the logits of a class turns them into probabilities that fit its labels
 * (Platt 1999), so that doubts of rare and of common classes, and of held-out and of training images, are on one scale, and a model
 * that knows nothing of a class doubts its rare labels no more than their rarity asks for.
 */
function doubtful(labels: readonly Known[], source: SuspectSource): Doubtful[] {
  const [present, absent] = [true, false].map((wanted) =>
    labels.flatMap(({ isPresent, logit: value }) => (isPresent === wanted ? [value] : [])),
  );
  if (present!.length < enough || absent!.length === 0) return [];
  const { slopes, intercepts } = fitPlatt({
    scores: Float64Array.from(labels, ({ logit: value }) => sigmoid(value)),
    targets: labels.map(({ isPresent }) => Number(isPresent)),
    classNames: ['the class'],
  });
  const [slope, intercept] = [slopes[0]!, intercepts[0]!];
  if (!(slope > 0)) return [];
  const [usuallyPresent, usuallyAbsent] = [median(present!), median(absent!)];
  return labels.flatMap((label): Doubtful[] => {
    const odds = slope * label.logit + intercept;
    const doubt = label.isPresent ? -odds : odds;
    if (!(doubt > leastDoubt)) return [];
    return [
      {
        ...label,
        kind: label.isPresent ? 'wrong' : 'missing',
        source,
        typical: label.isPresent ? usuallyAbsent : usuallyPresent,
        doubt,
      },
    ];
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** The logit, clamped to be finite for 0 and 1. */
function logit(probability: number): number {
  const inside = Math.min(Math.max(probability, 1e-6), 1 - 1e-6);
  return Math.log(inside / (1 - inside));
}
