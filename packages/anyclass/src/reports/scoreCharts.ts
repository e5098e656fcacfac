// Scores as charts: metrics against the threshold, precision against recall, probability against frequency.

import {
  type Calibration,
  calibrate,
  type RankingCurve,
  type ReliabilityCurve,
  rankingCurves,
  reliability,
  type Scored,
  thresholdCurves,
} from '@anyclass/core';
import { type Line, lineChart } from './chart.js';

// More points than pixels only make the page heavy, and more classes the chart unreadable.
const mostPoints = 250;
const mostClasses = 20;

export function scoreCharts(scored: Scored, calibration?: Calibration): string {
  return `<div class="charts">${thresholdChart(scored)}${precisionRecallChart(scored)}${reliabilityChart(scored, calibration)}</div>`;
}

function thresholdChart(scored: Scored): string {
  const { thresholds, macro, noClass } = thresholdCurves(scored);
  const line = (name: string, values: readonly number[]): Line => ({
    name,
    points: thresholds.map((threshold, i) => [threshold, 100 * values[i]!]),
  });
  return lineChart(
    [
      line('F1', macro.f1),
      line('F2', macro.f2),
      line('precision', macro.precision),
      line('recall', macro.recall),
      line('F1-Neg', noClass.f1),
    ],
    { x: 'threshold', y: 'mean over classes, %', xRange: [0, 1], yRange: [0, 100] },
  );
}

function precisionRecallChart(scored: Scored): string {
  const lines = rankingCurves(scored)
    .filter(({ recall }) => recall.at(-1) === 1)
    .slice(0, mostClasses)
    .map((curve): Line => ({ name: curve.className, points: thinned(curve) }));
  return lineChart(lines, { x: 'recall', y: 'precision', xRange: [0, 1], yRange: [0, 1] });
}

function thinned({ recall, precision }: RankingCurve): [number, number][] {
  const step = Math.max(1, Math.floor(recall.length / mostPoints));
  const points: [number, number][] = [];
  for (let i = 0; i < recall.length; i += step) points.push([recall[i]!, precision[i]!]);
  points.push([recall.at(-1)!, precision.at(-1)!]);
  return points;
}

function reliabilityChart(scored: Scored, calibration: Calibration | undefined): string {
  const lineOf = (name: string, { bins }: ReliabilityCurve): Line => ({
    name,
    dots: true,
    points: bins.map(({ meanProbability, observedRate }) => [meanProbability, observedRate]),
  });
  const lines = [
    { name: 'ideal', dashed: true, points: [[0, 0] as const, [1, 1] as const] },
    lineOf('any class', reliability(scored).anyClass),
  ];
  if (calibration) {
    const scores = calibrate(scored.scores, scored.classNames, calibration);
    lines.push(lineOf('any class, calibrated', reliability({ ...scored, scores }).anyClass));
  }
  return lineChart(lines, { x: 'probability', y: 'how often it is there', xRange: [0, 1], yRange: [0, 1] });
}
