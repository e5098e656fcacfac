// Finds the mistakes that a model was most confident about.

import type { Scored } from '@anyclass/core';
import type { Dataset } from '../data/dataset/dataset.js';
import { thumbnail } from '../inspect/samples.js';
import { escaped } from '../tables/escaped.js';
import { percent } from '../tables/percent.js';

export type MistakeKind = 'seen in a negative' | 'seen beside others' | 'missed';

export interface Mistake {
  readonly row: number;
  readonly className: string;
  readonly probability: number;
}

/**
 * Returns the most confident mistakes of each kind, at most one per row: classes seen in negative rows, wrong
 * classes in positive rows, and present classes that were missed.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.2]), targets: [0, 1], classNames: ['crack'] };
 * confidentMistakes(scored, 5).missed // [{ row: 1, className: 'crack', probability: 0.2 }]
 */
export function confidentMistakes(
  { scores, targets, classNames }: Scored,
  most: number,
): Record<MistakeKind, Mistake[]> {
  const classes = classNames.length;
  const found: Record<MistakeKind, Map<number, Mistake>> = {
    'seen in a negative': new Map(),
    'seen beside others': new Map(),
    missed: new Map(),
  };
  for (let row = 0; row < scores.length / classes; row++) {
    const labels = classNames.map((_, j) => targets[row * classes + j]!);
    if (labels.some(Number.isNaN)) continue;
    const isNegative = labels.every((label) => label === 0);
    classNames.forEach((className, j) => {
      const probability = scores[row * classes + j]!;
      const isWrong = labels[j] === 1 ? probability < 0.5 : probability >= 0.5;
      if (!isWrong) return;
      const kind = labels[j] === 1 ? 'missed' : isNegative ? 'seen in a negative' : 'seen beside others';
      const known = found[kind].get(row);
      if (!known || confidence(known) < confidence({ probability })) {
        found[kind].set(row, { row, className, probability });
      }
    });
  }
  const surest = (kind: MistakeKind) =>
    [...found[kind].values()].sort((a, b) => confidence(b) - confidence(a) || a.row - b.row).slice(0, most);
  return {
    'seen in a negative': surest('seen in a negative'),
    'seen beside others': surest('seen beside others'),
    missed: surest('missed'),
  };
}

/** Returns mistakes with their images as HTML. `rowOf` maps a row of the scores to a row of the dataset. */
export async function mistakeGallery(
  mistakes: readonly Mistake[],
  dataset: Dataset,
  rowOf: (scoredRow: number) => number | undefined,
): Promise<string> {
  const pictures = await Promise.all(
    mistakes.map(async ({ row, className, probability }) => {
      const at = rowOf(row);
      if (at === undefined) return '';
      const present = dataset.classes.filter((_, j) => dataset.labels.isPresent(at, j));
      const name = escaped(dataset.names.at(at));
      const truth = present.length > 0 ? present.join(', ') : 'negative';
      const source = await thumbnail(() => dataset.images.read(at), side, dataset.preparation);
      const image = source === undefined ? '' : `<img src="${source}" alt="${name}" title="${name}">`;
      return `<figure>${image}<figcaption><b>${escaped(className)}</b> ${percent(probability)}%<br>truth: ${escaped(truth)}<br>${name}</figcaption></figure>`;
    }),
  );
  return `<div class="images">${pictures.join('')}</div>`;
}

function confidence({ probability }: { readonly probability: number }): number {
  return Math.abs(probability - 0.5);
}

const side = 128;
