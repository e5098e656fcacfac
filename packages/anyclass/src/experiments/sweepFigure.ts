// The figure of a sweep: F1, F2 and mAP in one panel, F1-Neg in the other, with error bars over seeds.

import type { PaperFigure } from '@anyclass/core';
import { type SweepPoint as ChartPoint, type SweepLine, sweepChart } from '../reports/charts/sweepChart.js';
import { figureTitles } from './comparisonTables.js';
import type { JudgedSplit } from './readRuns.js';
import type { Spread } from './spread.js';
import type { Sweep } from './sweep.js';

const [width, height] = [470, 340];

/**
 * The figure as an SVG. Error bars are standard deviations over seeds, and both ends with two seeds.
 *
 * @example
 * writeFileSync('sweep.svg', sweepFigure(sweep, 'validation'))
 */
export function sweepFigure({ points, title }: Pick<Sweep, 'points' | 'title'>, split: JudgedSplit): string {
  const { figures } = points[0]!.figures;
  const standard = points.find(({ value }) => value === null)?.figures.loss ?? '';
  const line = (figure: PaperFigure): SweepLine => ({
    name: figureTitles[figure],
    points: points.flatMap(({ value, figures: group }) => chartPoint(group[split]?.[figure], value)),
  });
  const panel = (shown: readonly PaperFigure[]) =>
    sweepChart(shown.map(line), {
      title: `${shown.map((figure) => figureTitles[figure]).join(', ')} against ${title}, ${split}`,
      x: title,
      y: `${split}, %`,
      standard,
      width,
      height,
    });
  return besideOneAnother([panel(figures.filter((figure) => figure !== 'f1Neg')), panel(['f1Neg'])]);
}

function chartPoint(spread: Spread | null | undefined, value: number | null): ChartPoint[] {
  if (!spread) return [];
  const { mean, standardDeviation, lowest, highest, values } = spread;
  const deviation = standardDeviation ?? 0;
  const [low, high] = values.length === 2 ? [lowest, highest] : [mean - deviation, mean + deviation];
  return [{ value, mean: 100 * mean, ...(values.length > 1 && { low: 100 * low, high: 100 * high }) }];
}

/** Panels of one size in one SVG, on white: the file is for papers and slides. */
function besideOneAnother(panels: readonly string[]): string {
  const placed = panels.map((panel, i) => panel.replace('<svg', `<svg x="${i * width}" y="0"`));
  const tall = Math.max(...panels.map((panel) => Number(/ height="(\d+)"/.exec(panel)?.[1] ?? height)));
  const size = `width="${panels.length * width}" height="${tall}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="#fff"/>\n${placed.join('\n')}\n</svg>\n`;
}
