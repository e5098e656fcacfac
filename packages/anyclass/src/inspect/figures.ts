// What a dataset holds, as figures.

import { paleColor, seriesColors } from '../charts/palette.js';
import { axis, labelWidth, legend, light, ownMargins, renderChart } from '../charts/render.js';
import { splitNames } from '../data/dataset.js';
import type { Figure } from '../pages/blocks.js';
import type { ClassCount, Inspection } from './inspection.js';

const width = 520;
const mostInHeatmap = 60;
// Dark, pale, dark: neighbors differ in brightness too.
const splitColors = {
  train: seriesColors[0]!.light,
  validation: paleColor.light,
  test: seriesColors[1]!.light,
} as const;

/** Positive instances by class (or family of classes), the commonest on top, splits one after another. */
export function distributionFigure(name: string, counts: readonly ClassCount[]): Figure {
  const total = ({ train, validation, test }: ClassCount) => train + validation + test;
  const sorted = [...counts].sort((a, b) => total(a) - total(b));
  const names = sorted.map((count) => count.name);
  const splits = splitNames.filter((split) => counts.some((count) => count[split] > 0));
  const title = 'Positive instances';
  const svg = renderChart(
    title,
    { width, height: 90 + sorted.length * 22 },
    {
      grid: { ...ownMargins, left: labelWidth(names), right: 30, top: 50, bottom: 10 },
      legend: legend(splits, width).option,
      xAxis: {
        ...axis('', 0),
        type: 'value',
        position: 'top',
        axisLabel: { color: light.faint, formatter: compact },
      },
      yAxis: {
        ...axis('', 0),
        type: 'category',
        data: names,
        axisTick: { show: false },
        axisLabel: { color: light.ink, interval: 0 },
      },
      series: splits.map((split) => ({
        type: 'bar',
        name: split,
        stack: 'all',
        barWidth: '70%',
        itemStyle: {
          color: splitColors[split],
          borderColor: light.ground,
          borderWidth: 1,
        },
        data: sorted.map((count) => count[split]),
      })),
    },
    (series, row) =>
      `${names[row]}, ${splits[series]}: ${sorted[row]![splits[series]!].toLocaleString('en-US')}`,
  );
  return { name, title, svg };
}

/**
 * How often the column's class is present where the row's class is, in percent. Shares rather than counts: with a long tail
 * the counts show only that common classes are common.
 */
export function cooccurrenceFigure({
  pairedClasses,
  cooccurrence,
}: Pick<Inspection, 'pairedClasses' | 'cooccurrence'>): Figure {
  const kept = pairedClasses
    .map((name, j) => ({ name, j, count: cooccurrence[j]![j]! }))
    .sort((a, b) => b.count - a.count)
    .slice(0, mostInHeatmap)
    .sort((a, b) => a.j - b.j);
  const cells = kept.flatMap((row, y) =>
    kept.flatMap((column, x) => {
      if (x === y || row.count === 0) return [];
      return [{ x, y, percent: Math.round((1000 * cooccurrence[row.j]![column.j]!) / row.count) / 10 }];
    }),
  );
  const names = kept.map(({ name }) => name);
  const cell = Math.max(16, Math.min(44, 760 / Math.max(1, kept.length)));
  const margin = labelWidth(names);
  const size = { width: margin + 90 + kept.length * cell, height: margin + 20 + kept.length * cell };
  const most = Math.max(1, ...cells.map(({ percent }) => percent));
  const title = 'Share of instances of the row’s class that also have the column’s, in percent';
  const classAxis = { ...axis('', 0), type: 'category', data: names, splitLine: { show: false } };
  const svg = renderChart(
    title,
    size,
    {
      grid: { ...ownMargins, left: margin, right: 90, top: margin + 10, bottom: 10 },
      xAxis: { ...classAxis, position: 'top', axisLabel: { color: light.ink, rotate: 60, interval: 0 } },
      yAxis: { ...classAxis, inverse: true, axisLabel: { color: light.ink, interval: 0 } },
      visualMap: {
        min: 0,
        max: most,
        orient: 'vertical',
        right: 0,
        top: 'middle',
        text: [`${Math.round(most)}%`, '0'],
        textStyle: { color: light.ink },
        calculable: false,
        inRange: { color: ['#f7fbff', '#6baed6', '#08306b'] },
      },
      series: [
        {
          type: 'heatmap',
          data: cells.map(({ x, y, percent }) => ({
            value: [x, y, percent],
            // Dark text on the light half, light on the dark, in both themes.
            label: { color: percent > 0.55 * most ? '#fefefe' : '#0b1420' },
          })),
          label: {
            show: kept.length <= 20,
            formatter: ({ value }: { value: number[] }) => String(value[2]),
            fontSize: 10,
          },
          itemStyle: { borderColor: light.edge, borderWidth: 1 },
        },
      ],
    },
    (_, at) => {
      const { x, y, percent } = cells[at]!;
      return `of the instances with ${names[y]}, ${percent}% have ${names[x]}`;
    },
  );
  return { name: 'cooccurrence', title, svg, isWide: size.width > width };
}

/** Instances with 0, 1, 2… labels. */
export function labelsPerInstanceFigure({
  labelsPerInstance,
}: Pick<Inspection, 'labelsPerInstance'>): Figure {
  const title = 'Instances by their number of labels';
  const svg = renderChart(
    title,
    { width: Math.max(300, Math.min(width, 90 + 70 * labelsPerInstance.length)), height: 240 },
    {
      grid: { ...ownMargins, left: 50, right: 30, top: 30, bottom: 44 },
      xAxis: {
        ...axis('labels', 28),
        type: 'category',
        data: labelsPerInstance.map((_, labels) => String(labels)),
      },
      yAxis: { ...axis('', 0), type: 'value', axisLabel: { color: light.faint, formatter: compact } },
      series: [
        {
          type: 'bar',
          itemStyle: { color: seriesColors[0]!.light },
          label: {
            show: true,
            position: 'top',
            color: light.ink,
            formatter: ({ value }: { value: number }) => value.toLocaleString('en-US'),
          },
          data: [...labelsPerInstance],
        },
      ],
    },
  );
  return { name: 'labels-per-instance', title, svg };
}

function compact(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
