// A chart of which classes, or groups of classes, occur together.

import { heatColors, heatInkOn } from '../charts/palette.js';
import { axis, labelWidth, light, ownMargins, renderChart } from '../charts/render.js';
import type { Chart } from '../pages/blocks.js';

/** More would be too small to read; the table of pairs has the others. */
const mostInHeatMap = 60;
const narrow = 520;

export interface HeatMapOptions {
  /** Name of the chart's file. */
  readonly name: string;
  /** What a row is: 'class' or 'group'. */
  readonly what: string;
  readonly names: readonly string[];
  /** Total number of rows, if only the most common were counted in pairs. Default: the number of names. */
  readonly of?: number;
  /** Number of instances with both; the row's own count on the diagonal. */
  readonly together: readonly (readonly number[])[];
}

/**
 * How often the column's class is present among instances with the row's class, in percent. Counts instead of
 * percentages would only show that common classes are common. If there are many classes, only the most common
 * are shown, and the title says so.
 *
 * @example
 * heatMapChart({ name: 'cooccurrence', what: 'class', names: ['cat', 'dog'], together: [[4, 1], [1, 1]] })
 */
export function heatMapChart({ name, what, names: all, of = all.length, together }: HeatMapOptions): Chart {
  const kept = all
    .map((own, j) => ({ own, j, count: together[j]![j]! }))
    .sort((a, b) => b.count - a.count)
    .slice(0, mostInHeatMap)
    .sort((a, b) => a.j - b.j);
  const cells = kept.flatMap((row, y) =>
    kept.flatMap((column, x) => {
      if (x === y || row.count === 0) return [];
      return [{ x, y, percent: Math.round((1000 * together[row.j]![column.j]!) / row.count) / 10 }];
    }),
  );
  const names = kept.map(({ own }) => own);
  const cell = Math.max(16, Math.min(44, 900 / Math.max(1, kept.length)));
  const margin = labelWidth(names);
  const size = { width: margin + 90 + kept.length * cell, height: margin + 20 + kept.length * cell };
  const most = Math.max(1, ...cells.map(({ percent }) => percent));
  const stepOf = (percent: number) =>
    Math.min(heatColors.length - 1, Math.floor((percent / most) * heatColors.length));
  const part =
    kept.length < of ? `; the ${kept.length} most common of ${of}; the table of pairs has more` : '';
  const title = `Percentage of instances with the row’s ${what} that also have the column’s${part}`;
  const nameAxis = { ...axis('', 0), type: 'category', data: names, splitLine: { show: false } };
  const svg = renderChart(
    title,
    size,
    {
      grid: { ...ownMargins, left: margin, right: 90, top: margin + 10, bottom: 10 },
      xAxis: { ...nameAxis, position: 'top', axisLabel: { color: light.ink, rotate: 60, interval: 0 } },
      yAxis: { ...nameAxis, inverse: true, axisLabel: { color: light.ink, interval: 0 } },
      visualMap: {
        type: 'piecewise',
        orient: 'vertical',
        right: 0,
        top: 'middle',
        itemWidth: 14,
        itemHeight: 12,
        textStyle: { color: light.ink },
        // The palette's discrete colors, so that they follow the page's theme.
        pieces: heatColors.map((color, step) => ({
          gte: (step * most) / heatColors.length,
          ...(step < heatColors.length - 1 && { lt: ((step + 1) * most) / heatColors.length }),
          label: `${((step * most) / heatColors.length).toFixed(most < 2 * heatColors.length ? 1 : 0)}% and up`,
          color: color.light,
        })),
      },
      series: [
        {
          type: 'heatmap',
          data: cells.map(({ x, y, percent }) => ({
            value: [x, y, percent],
            label: { color: heatInkOn(stepOf(percent)).light },
          })),
          label: {
            show: kept.length <= 20,
            formatter: ({ value }: { value: number[] }) => String(value[2]),
            fontSize: 10,
          },
          itemStyle: { borderColor: light.ground, borderWidth: 1 },
        },
      ],
    },
    (_, at) => {
      const { x, y, percent } = cells[at]!;
      return `of the instances with ${names[y]}, ${percent}% have ${names[x]}`;
    },
  );
  return { name, title, svg, isWide: size.width > narrow };
}
