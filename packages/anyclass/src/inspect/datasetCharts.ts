// Charts of a dataset's contents.

import { paleColor, seriesColors } from '../charts/palette.js';
import { axis, labelWidth, legend, light, ownMargins, renderChart } from '../charts/render.js';
import { splitNames } from '../data/dataset/dataset.js';
import type { Chart } from '../pages/blocks.js';
import type { ClassCount, Inspection } from './inspection.js';

const width = 520;
/** More bars would fill a page; the table has all classes. */
const mostBars = 60;
// Dark, pale, dark: neighbors differ in brightness too.
const splitColors = {
  train: seriesColors[0]!.light,
  validation: paleColor.light,
  test: seriesColors[1]!.light,
} as const;

/**
 * Positive instances by class (or class family), stacked by split, with the most common on top. If there are
 * many classes, only the most common are shown, and the title says so.
 */
export function distributionChart(name: string, counts: readonly ClassCount[]): Chart {
  const total = ({ train, validation, test }: ClassCount) => train + validation + test;
  const sorted = [...counts].sort((a, b) => total(a) - total(b)).slice(-mostBars);
  const names = sorted.map((count) => count.name);
  const splits = splitNames.filter((split) => counts.some((count) => count[split] > 0));
  const title = `Positive instances${partOf(sorted.length, counts.length)}`;
  const svg = renderChart(
    title,
    { width, height: 90 + sorted.length * 22 },
    {
      ...namedRows(names),
      legend: legend(splits, width).option,
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
 * Annotated objects of each class next to the instances that show it, as COCO counts them;
 * the most annotated on top.
 */
export function annotationChart(name: string, counts: readonly ClassCount[]): Chart {
  const instances = ({ train, validation, test }: ClassCount) => train + validation + test;
  const sorted = [...counts].sort((a, b) => (a.annotations ?? 0) - (b.annotations ?? 0)).slice(-mostBars);
  const names = sorted.map((count) => count.name);
  const title = `Annotated objects and the instances that show them${partOf(sorted.length, counts.length)}`;
  const series = [
    { name: 'objects', color: seriesColors[0]!.light, value: (count: ClassCount) => count.annotations ?? 0 },
    { name: 'instances', color: paleColor.light, value: instances },
  ];
  const svg = renderChart(
    title,
    { width, height: 90 + sorted.length * 26 },
    {
      ...namedRows(names),
      legend: legend(
        series.map((one) => one.name),
        width,
      ).option,
      series: series.map((one) => ({
        type: 'bar',
        name: one.name,
        itemStyle: { color: one.color },
        data: sorted.map(one.value),
      })),
    },
    (at, row) =>
      `${names[row]}: ${series[at]!.value(sorted[row]!).toLocaleString('en-US')} ${series[at]!.name}`,
  );
  return { name, title, svg };
}

/** Instances with 0, 1, 2… labels. */
export function labelsPerInstanceChart({ labelsPerInstance }: Pick<Inspection, 'labelsPerInstance'>): Chart {
  const title = 'Instances by number of labels';
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

/** The addition to a title if not all classes are shown. */
function partOf(shown: number, all: number): string {
  return shown < all ? `; the ${shown} largest of ${all}; the table has all` : '';
}

function compact(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

/** Margins and axes for horizontal bars with their names on the left. */
function namedRows(names: readonly string[]) {
  return {
    grid: { ...ownMargins, left: labelWidth(names), right: 30, top: 50, bottom: 10 },
    xAxis: {
      ...axis('', 0),
      type: 'value' as const,
      position: 'top' as const,
      axisLabel: { color: light.faint, formatter: compact },
    },
    yAxis: {
      ...axis('', 0),
      type: 'category' as const,
      data: [...names],
      axisTick: { show: false },
      axisLabel: { color: light.ink, interval: 0 },
    },
  };
}
