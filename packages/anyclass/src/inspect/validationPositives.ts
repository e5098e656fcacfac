// Checks whether validation has enough positives for what training decides with it: the best
// epoch and the thresholds.

import type { Dataset } from '../data/dataset/dataset.js';
import { inflected } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { countClasses, countSplits } from './countLabels.js';
import type { ClassCount, Problem, SplitCount } from './inspection.js';

/** With fewer positive instances, the choice of the best epoch is left to chance. */
const enoughImages = 10;
/** With fewer positive instances of a class, so is its threshold. */
const enoughOfClass = 5;

/**
 * Problems with the positives of the validation split; none if it has no labels, since no run can start then.
 *
 * @example
 * scarcePositives(countSplits(dataset), countClasses(dataset))[0]?.examples // ['crack: 2', 'roots: 0']
 */
export function scarcePositives(
  splits: readonly SplitCount[],
  classCounts: readonly ClassCount[],
): Problem[] {
  const validation = splits.find(({ split }) => split === 'validation');
  if (!validation || validation.positive + validation.negative === 0) return [];
  const scarce = classCounts.filter((count) => count.validation < enoughOfClass);
  const problems: Problem[] = [
    {
      kind: 'scarce-validation',
      text: `positive validation ${inflected(validation.positive, 'instance')}: too few to choose an epoch or thresholds`,
      count: validation.positive,
      examples: [],
    },
    {
      kind: 'scarce-class',
      text: `${inflected(scarce.length, 'class')} with fewer than ${enoughOfClass} positive validation instances: too few to fit a threshold`,
      count: scarce.length,
      examples: scarce.map((count) => `${count.name}: ${count.validation}`),
    },
  ];
  return problems.filter(({ kind, count }) =>
    kind === 'scarce-validation' ? count < enoughImages : count > 0,
  );
}

/**
 * The same problems as warnings before a run starts.
 *
 * @example
 * validationRemarks(dataset) // ['warning: 2 classes with fewer than 5 positive validation instances: … (crack: 2, roots: 0); …']
 */
export function validationRemarks({ classes, labels, splits }: Dataset): string[] {
  const none = new Int32Array(0);
  // The training split, which may be large, is not counted.
  const alone = { train: none, validation: splits.validation, test: none, decision: none };
  const validation = { classes, labels, splits: alone };
  const problems = scarcePositives(countSplits(validation), countClasses(validation));
  return problems.map(({ count, text, examples }) => {
    const named = examples.length > 0 ? ` (${listed(examples)})` : '';
    return `warning: ${count} ${text}${named}; data.draw.shares can give validation a larger share of the data`;
  });
}
