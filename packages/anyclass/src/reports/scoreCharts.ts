// Plots the scores of one model: metrics against the threshold, and precision against recall.

import {
  type RankingCurve,
  type ReliabilityCurve,
  rankingCurves,
  type Scored,
  thresholdCurves,
} from '@anyclass/core';
import { type Line, type LinePoint, lineChart } from '@anyclass/kit';
import type { Chart } from '../pages/blocks.js';

// More points than pixels would only make the page large, and more classes would make the chart unreadable.
const mostPoints = 250;
const mostClasses = 20;
const percentRanges = { xRange: [0, 100], yRange: [0, 100] } as const;

export function scoreCharts(scored: Scored): Chart[] {
  return [thresholdChart(scored), precisionRecallChart(precisionRecallLines(scored))];
}

/** Plots precision against recall. */
export function precisionRecallChart(lines: readonly Line[]): Chart {
  const title = 'Precision against recall';
  const svg = lineChart(lines.map(inPercent), {
    label: title,
    x: 'recall, %',
    y: 'precision, %',
    ...percentRanges,
  });
  return { name: 'precision-recall', title, svg };
}

/** Plots percentages against the threshold. */
export function againstThreshold(name: string, title: string, y: string, lines: readonly Line[]): Chart {
  const svg = lineChart(lines, { label: title, x: 'threshold', y, xRange: [0, 1], yRange: [0, 100] });
  return { name, title, svg };
}

/** Plots reliability together with the ideal. */
export function reliabilityChart(lines: readonly Line[]): Chart {
  const title = 'Reliability of ‘any class is present’';
  const ideal: Line = {
    name: 'ideal',
    isReference: true,
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
  };
  return {
    name: 'reliability',
    title,
    svg: lineChart([...lines, ideal].map(inPercent), {
      label: title,
      x: 'largest probability, %',
      y: 'with a class present, %',
      ...percentRanges,
    }),
  };
}

export function reliabilityLine(name: string, { bins }: ReliabilityCurve): Line {
  return { name, points: bins.map((bin) => ({ x: bin.meanProbability, y: bin.observedRate })) };
}

/** Shares on both axes as percentages, as on all other charts. */
function inPercent(line: Line): Line {
  return { ...line, points: line.points.map(({ x, y }) => ({ x: 100 * x, y: y === null ? null : 100 * y })) };
}

function thresholdChart(scored: Scored): Chart {
  const { thresholds, macro, noClass } = thresholdCurves(scored);
  const line = (name: string, values: readonly number[]): Line => ({
    name,
    points: thresholds.map((threshold, i) => ({ x: threshold, y: 100 * values[i]! })),
  });
  const lines = [
    line('F1', macro.f1),
    line('F2', macro.f2),
    line('precision', macro.precision),
    line('recall', macro.recall),
    line('F1-Neg', noClass.f1),
  ];
  return againstThreshold('thresholds', 'Metrics against the threshold', 'mean over classes, %', lines);
}

function precisionRecallLines(scored: Scored): Line[] {
  return rankingCurves(scored)
    .filter(({ recall }) => recall.at(-1) === 1)
    .slice(0, mostClasses)
    .map((curve) => ({ name: curve.className, points: thinned(curve) }));
}

function thinned({ recall, precision }: RankingCurve): LinePoint[] {
  const step = Math.max(1, Math.floor(recall.length / mostPoints));
  const points: LinePoint[] = [];
  for (let i = 0; i < recall.length; i += step) points.push({ x: recall[i]!, y: precision[i]! });
  points.push({ x: recall.at(-1)!, y: precision.at(-1)! });
  return points;
}
