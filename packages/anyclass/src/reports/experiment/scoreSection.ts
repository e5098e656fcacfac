// Compares the scores of all setups in the same charts.

import { rankingCurves, reliability, type Scored, thresholdCurves } from '@anyclass/core';
import { type Line, type LinePoint, lineChart } from '@anyclass/kit';
import type { Chart } from '../../pages/blocks.js';
import { againstThreshold, precisionRecallChart, reliabilityChart, reliabilityLine } from '../scoreCharts.js';
import { type Group, type Material, meanOf, pooledScores, type ReportSection } from './material.js';

/**
 * Returns precision against recall, F1 against its cost on negatives, reliability, and the scores of
 * negatives.
 */
export async function scoreSection({ groups, split }: Material): Promise<ReportSection> {
  const precision: Line[] = [];
  const prices: Line[] = [];
  const reliable: Line[] = [];
  const negatives: Line[] = [];
  // One after another, because pooled scores are large.
  for (const group of groups) {
    const pooled = await pooledScores(group, split);
    const scores = await scoresOf(group, split);
    precision.push({ name: group.name, points: precisionPoints(scores) });
    prices.push({ name: group.name, points: pricePoints(scores) });
    reliable.push(reliabilityLine(group.name, reliability(pooled).anyClass));
    negatives.push({ name: group.name, points: negativeShares(pooled) });
  }
  return {
    name: 'scores',
    title: `Scores on ${split}`,
    items: [
      {
        kind: 'note',
        text: 'Precision at a recall is the highest precision at that recall or above, averaged over classes and seeds. F1 against F1-Neg shows what one threshold for all classes gains on positives and costs on negatives: the loss closer to the upper right is better at any threshold. Marks are at thresholds of 0.1, 0.15, … 0.9, averaged over seeds. Reliability and negatives pool the scores of all seeds. At 0.5, the last plot shows how many negative images raise a false alarm.',
      },
      {
        kind: 'charts',
        charts: [
          precisionRecallChart(precision),
          priceChart(prices),
          reliabilityChart(reliable),
          againstThreshold(
            'negatives',
            'Largest probability on negative images',
            'negatives that reach it, %',
            negatives,
          ),
        ],
      },
    ],
  };
}

const steps = 50;

async function scoresOf({ runs }: Group, split: Material['split']): Promise<Scored[]> {
  const scores = await Promise.all(runs.map((run) => run.scores(split)));
  return scores.filter((each) => each !== undefined);
}

function precisionPoints(scores: readonly Scored[]): LinePoint[] {
  const curves = scores.flatMap(meanPrecision);
  return Array.from({ length: steps + 1 }, (_, i) => ({
    x: i / steps,
    y: meanOf(curves.map((curve) => curve[i])),
  }));
}

/** F1 against F1-Neg, in percent, as one threshold for all classes rises from 0.1 to 0.9. */
function pricePoints(scores: readonly Scored[]): LinePoint[] {
  const thresholds = Array.from({ length: 17 }, (_, i) => (i + 2) / 20);
  const curves = scores.map((scored) => thresholdCurves(scored, thresholds));
  return thresholds.flatMap((_, t) => {
    const negatives = meanOf(curves.map(({ noClass }) => noClass.f1[t]));
    const positives = meanOf(curves.map(({ macro }) => macro.f1[t]));
    return negatives === null || positives === null ? [] : [{ x: 100 * negatives, y: 100 * positives }];
  });
}

/** Returns, for each class with a positive, the highest precision at a recall of i / steps or above. */
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
 * Returns the share of negative images whose largest probability reaches a threshold, in percent.
 *
 * @example
 * negativeShares({ scores: [0.3, 0.9], targets: [0, 0], classNames: ['crack'] }) // 100 up to 0.3, 50 up to 0.9, then 0
 */
function negativeShares({ scores, targets, classNames }: Scored): LinePoint[] {
  const classes = classNames.length;
  const largest: number[] = [];
  for (let row = 0; row < scores.length; row += classes) {
    let highest = 0;
    let isNegative = true;
    for (let j = row; j < row + classes; j++) {
      // Unknown labels are NaN, so such an image does not count as negative.
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

function priceChart(lines: readonly Line[]): Chart {
  const title = 'F1 against F1-Neg as the threshold moves';
  const highest = Math.max(0, ...lines.flatMap(({ points }) => points.map(({ x }) => x)));
  // Nobody would choose a lower F1-Neg, and all curves meet far down.
  const lowest = 0.75 * highest;
  const shown = lines.map((line) => ({ ...line, points: line.points.filter(({ x }) => x >= lowest) }));
  const xRange = [5 * Math.floor(lowest / 5), 5 * Math.ceil(highest / 5)] as const;
  const svg = lineChart(shown, { label: title, x: 'F1-Neg, %', y: 'F1, %', xRange, yIsPercent: true });
  return { name: 'f1-against-f1-neg', title, svg };
}
