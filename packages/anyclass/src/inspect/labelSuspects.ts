// Labels that contradict a model's scores. Northcutt, Jiang and Chuang, "Confident Learning: Estimating
// Uncertainty in Dataset Labels", JAIR 2021: for each class, a score is compared with the typical scores of
// images with either label.

import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import { foundImages } from './foundImages.js';
import type { LabelSuspect } from './inspection.js';

/** A model's probabilities, row by row, with one entry per class. */
export interface SavedScores {
  readonly names: readonly string[];
  readonly classNames: readonly string[];
  readonly values: ArrayLike<number>;
}

/** With fewer scored images of a class, its typical score is unknown. */
const enough = 5;

/**
 * The doubtful labels, the most doubtful first: a class that is not labeled but scores as high as labeled
 * images do on average, or that is labeled but scores as low as unlabeled ones do. Labels are the dataset's
 * current ones; scores are matched by name.
 *
 * @example
 * labelSuspects(dataset, [await readTable('runs/sewer/scores/test.csv')])[0] // { name: '7.png', class: 'crack', kind: 'missing', … }
 */
export function labelSuspects(dataset: Dataset, scores: readonly SavedScores[]): LabelSuspect[] {
  const rowOf = new Map(
    Array.from({ length: dataset.names.length }, (_, row) => [dataset.names.at(row), row]),
  );
  const imageOf = foundImages(dataset);
  const inSplit = new Uint8Array(dataset.names.length);
  for (const split of splitNames) for (const row of dataset.splits[split]) inSplit[row] = 1;
  const suspects: (LabelSuspect & { readonly doubt: number })[] = [];
  for (const [j, className] of dataset.classes.entries()) {
    const scored = scores.flatMap((table) => {
      const at = table.classNames.indexOf(className);
      return table.names.flatMap((name, i) => {
        const row = rowOf.get(name);
        if (at < 0 || row === undefined || inSplit[row] === 0) return [];
        const target = dataset.labels.at(row, j);
        const score = table.values[i * table.classNames.length + at]!;
        return Number.isNaN(target) || Number.isNaN(score) ? [] : [{ row, score, isPresent: target >= 0.5 }];
      });
    });
    const typical = (isPresent: boolean) =>
      mean(scored.filter((one) => one.isPresent === isPresent).map(({ score }) => score));
    const present = typical(true);
    const absent = typical(false);
    if (scored.filter(({ isPresent }) => isPresent).length < enough || !(present > absent)) continue;
    for (const { row, score, isPresent } of scored) {
      const isDoubtful = isPresent ? score <= absent && score < 0.5 : score >= present && score >= 0.5;
      if (!isDoubtful) continue;
      suspects.push({
        ...imageOf(row),
        class: className,
        kind: isPresent ? 'wrong' : 'missing',
        score,
        typical: isPresent ? absent : present,
        doubt: Math.abs(logit(score) - logit(isPresent ? present : absent)),
      });
    }
  }
  return suspects
    .sort((a, b) => b.doubt - a.doubt || a.row - b.row)
    .map(({ doubt: _, ...suspect }) => suspect);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The logit, clamped to be finite for 0 and 1. */
function logit(probability: number): number {
  const inside = Math.min(Math.max(probability, 1e-6), 1 - 1e-6);
  return Math.log(inside / (1 - inside));
}
