// The scores of all set-ups over one another.

import { rankingCurves, reliability, type Scored } from '@anyclass/core';
import type { Figure } from '../../pages/blocks.js';
import { type Line, type LinePoint, lineChart } from '../charts/lineChart.js';
import { precisionRecallFigure, reliabilityFigure, reliabilityLine } from '../scoreFigures.js';
import { type Group, type Material, meanOf, pooledScores, type ReportSection } from './material.js';

/** Precision against recall, reliability, and how high the probabilities of negatives are. */
export async function scoreSection({ groups, split }: Material): Promise<ReportSection> {
  const precision: Line[] = [];
  const reliable: Line[] = [];
  const negatives: Line[] = [];
  // One after another: pooled scores are large.
  for (const group of groups) {
    const pooled = await pooledScores(group, split);
    precision.push(await precisionLine(group, split));
    reliable.push(reliabilityLine(group.name, reliability(pooled).anyClass));
    negatives.push({ name: group.name, points: negativeShares(pooled) });
  }
  return {
    name: 'scores',
    title: `Scores on ${split}`,
    items: [
      {
        kind: 'note',
        text: 'Precision is the mean over classes of the highest that is reached at a recall or above it, and over seeds. For reliability and negatives the scores of all seeds are taken together. At 0.5 the last figure shows how many negative images raise a false alarm.',
      },
      {
        kind: 'figures',
        figures: [precisionRecallFigure(precision), reliabilityFigure(reliable), negativeFigure(negatives)],
      },
    ],
  };
}

const steps = 50;

async function precisionLine({ name, runs }: Group, split: Material['split']): Promise<Line> {
  const curves: number[][] = [];
  for (const run of runs) {
    const scored = await run.scores(split);
    if (scored) curves.push(...meanPrecision(scored));
  }
  return {
    name,
    points: Array.from({ length: steps + 1 }, (_, i) => ({
      x: i / steps,
      y: meanOf(curves.map((curve) => curve[i])),
    })),
  };
}

/** For each class with a positive: the highest precision at recall i / steps or more. */
function meanPrecision(scored: Scored): number[][] {
  return rankingCurves(scored)
    .filter(({ recall }) => recall.at(-1) === 1)
    .map(({ recall, precision }) => {
      const highest = new Array<number>(steps + 1).fill(0);
      let best = 0;
      let step = steps;
      for (let k = recall.length - 1; k >= 0; k--) {
        while (step >= 0 && step / steps > recall[k]!) highest[step--] = best;
        best = Math.max(best, precision[k]!);
      }
      while (step >= 0) highest[step--] = best;
      return highest;
    });
}

/**
 * The share of negative images whose largest probability reaches a threshold, in percent.
 *
 * @example
 * negativeShares({ scores: [0.3, 0.9], targets: [0, 0], classNames: ['crack'] }) // 100 up to 0.3, 50 up to 0.9, then 0
 */
export function negativeShares({ scores, targets, classNames }: Scored): LinePoint[] {
  const classes = classNames.length;
  const largest: number[] = [];
  for (let row = 0; row < scores.length; row += classes) {
    let highest = 0;
    let isNegative = true;
    for (let j = row; j < row + classes; j++) {
      // Unknown labels are NaN: such an image is not known to be negative.
      if (targets[j] !== 0) isNegative = false;
      highest = Math.max(highest, scores[j]!);
    }
    if (isNegative) largest.push(highest);
  }
  if (largest.length === 0) return [];
  return Array.from({ length: 101 }, (_, i) => {
    const threshold = i / 100;
    const reached = largest.reduce((sum, value) => sum + (value >= threshold ? 1 : 0), 0);
    return { x: threshold, y: (100 * reached) / largest.length };
  });
}

function negativeFigure(lines: readonly Line[]): Figure {
  const title = 'Largest probability on negative images';
  const svg = lineChart(lines, {
    title,
    x: 'threshold',
    y: 'negatives that reach it, %',
    xRange: [0, 1],
    yRange: [0, 100],
  });
  return { name: 'negatives', title, svg };
}
