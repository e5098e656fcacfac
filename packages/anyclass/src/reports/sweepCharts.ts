// Plots metrics against a swept value: F1, F2 and mAP in one panel, F1-Neg in the other, at 0.5 as in the
// paper and at decisions. The same panels are in the page of `report` and, side by side, in the file of
// `sweep`.

import type { PaperMetric } from '@anyclass/core';
import { chartFile, escaped, type SweepChartPoint, type SweepLine, sweepChart } from '@anyclass/kit';
import { decisionPhrase } from '../experiments/decisionText.js';
import { metricTitles, type Spread } from '../experiments/metrics.js';
import type { JudgedSplit } from '../experiments/readRuns.js';
import type { Sweep } from '../experiments/sweepResult.js';
import type { Chart } from '../pages/blocks.js';

/** The content of both panels. */
export interface SweepPanels {
  /** Name of the swept value, such as λ. */
  readonly title: string;
  readonly split: JudgedSplit;
  /** Label of the standard loss on the axis. */
  readonly standard: string;
  readonly upper: readonly SweepLine[];
  readonly negative: readonly SweepLine[];
}

/**
 * Returns the panels of a sweep. Error bars are standard deviations over seeds, or the range with two seeds.
 *
 * @example
 * sweepPanels(sweep, 'validation').upper.map(({ name }) => name) // ['F1 at 5% false alarms', 'F1 at 0.5', 'F2 at 0.5', 'mAP']
 */
export function sweepPanels(
  { points, title }: Pick<Sweep, 'points' | 'title'>,
  split: JudgedSplit,
): SweepPanels {
  const line = (metric: PaperMetric, name: string): SweepLine => ({
    name,
    points: points.flatMap(({ value, metrics }) => chartPoint(metrics[split]?.[metric], value)),
  });
  const decided = points.find(({ metrics }) => metrics.decided?.[split])?.metrics.decided;
  const decidedLine = (metric: PaperMetric, about: string): SweepLine[] => {
    if (!decided) return [];
    const drawn = points.flatMap(({ value, metrics }) =>
      chartPoint(metrics.decided?.[split]?.[metric], value),
    );
    return [{ name: `${about}${decisionPhrase(decided)}`, points: drawn }];
  };
  // Beside the line at decisions, that at 0.5 says so.
  const atHalf = decided ? ' at 0.5' : '';
  const { macroF1: f1, macroF2: f2, mAP, f1Neg } = metricTitles;
  return {
    title,
    split,
    standard: points.find(({ value }) => value === null)?.metrics.loss ?? '',
    // F2 even if classes have an importance, as in the paper's ablations on SewerML.
    upper: [
      ...decidedLine('macroF1', `${f1} `),
      line('macroF1', f1 + atHalf),
      line('macroF2', f2 + atHalf),
      line('mAP', mAP),
    ],
    // The axis names what both lines are.
    negative: [...decidedLine('f1Neg', ''), line('f1Neg', decided ? 'at 0.5' : f1Neg)],
  };
}

/** Draws a chart for each panel. */
export function sweepCharts({ title, split, standard, upper, negative }: SweepPanels, name: string): Chart[] {
  const chart = (suffix: string, metrics: string, y: string, lines: readonly SweepLine[]): Chart => {
    const options = { label: `${metrics} against ${title}, ${split}`, x: title, y, standard };
    return { name: `${name}-${suffix}`, title: metrics, svg: sweepChart(lines, options) };
  };
  const { f1Neg } = metricTitles;
  return [
    chart('metrics', 'F1, F2 and mAP', `${split}, %`, upper),
    chart('negatives', f1Neg, `${f1Neg}, ${split}, %`, negative),
  ];
}

/**
 * Draws both panels in one SVG.
 *
 * @example
 * writeFileSync('sweep.svg', sweepSvg(sweepPanels(sweep, 'validation')))
 */
export function sweepSvg(panels: SweepPanels): string {
  const sides = sweepCharts(panels, 'sweep').map((chart) => {
    const svg = chartFile(chart.svg, 520);
    return { svg, width: 520, height: Number(/ height="(\d+)"/.exec(svg)?.[1]) };
  });
  let right = 0;
  const placed = sides.map(({ svg, width }) => {
    const x = right;
    right += width;
    return svg.replace('<svg', `<svg x="${x}" y="0"`);
  });
  const height = Math.max(...sides.map((side) => side.height));
  const size = `width="${right}" height="${height}"`;
  const title = `Metrics against ${panels.title}, ${panels.split}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${right} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect ${size} fill="#ffffff"/>`,
    ...placed,
    '</svg>\n',
  ].join('\n');
}

function chartPoint(spread: Spread | null | undefined, value: number | null): SweepChartPoint[] {
  if (!spread) return [];
  const { mean, standardDeviation, lowest, highest, values } = spread;
  const deviation = standardDeviation ?? 0;
  const [low, high] = values.length === 2 ? [lowest, highest] : [mean - deviation, mean + deviation];
  return [{ value, mean: 100 * mean, ...(values.length > 1 && { low: 100 * low, high: 100 * high }) }];
}
