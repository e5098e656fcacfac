import { BarChart, HeatmapChart } from 'echarts/charts';
import { GridComponent, LegendComponent, VisualMapComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { splitNames } from '../data/dataset.js';
import type { ClassCount, Inspection } from './inspection.js';

use([BarChart, HeatmapChart, GridComponent, LegendComponent, VisualMapComponent, SVGRenderer]);

const width = 960;
const splitColours = { train: '#3b6ea5', validation: '#e0a030', test: '#6aa84f' } as const;
const mostInHeatmap = 60;

/** Positive instances by class (or family of classes), the commonest on top, splits one after another. */
export function distributionChart(counts: readonly ClassCount[]): string {
  const total = ({ train, validation, test }: ClassCount) => train + validation + test;
  const sorted = [...counts].sort((a, b) => total(a) - total(b));
  return render(90 + sorted.length * 22, {
    grid: { ...fixed, left: labelWidth(counts.map(({ name }) => name)), right: 30, top: 50, bottom: 10 },
    legend: { top: 0, left: 0, itemGap: 28 },
    xAxis: { type: 'value', position: 'top', axisLabel: { formatter: compact } },
    yAxis: { type: 'category', data: sorted.map(({ name }) => name), axisTick: { show: false } },
    series: splitNames.map((split) => ({
      type: 'bar',
      name: split,
      stack: 'all',
      barWidth: '70%',
      itemStyle: { color: splitColours[split] },
      data: sorted.map((count) => count[split]),
    })),
  });
}

/**
 * How often the column's class is present where the row's class is, in percent. Shares rather than counts: with a long tail
 * the counts show only that common classes are common.
 */
export function cooccurrenceChart({ classes, cooccurrence }: Inspection): string {
  const kept = classes
    .map((name, j) => ({ name, j, count: cooccurrence[j]![j]! }))
    .sort((a, b) => b.count - a.count)
    .slice(0, mostInHeatmap)
    .sort((a, b) => a.j - b.j);
  const cells = kept.flatMap((row, y) =>
    kept.flatMap((column, x) => {
      if (x === y || row.count === 0) return [];
      return [[x, y, Math.round((1000 * cooccurrence[row.j]![column.j]!) / row.count) / 10]];
    }),
  );
  const names = kept.map(({ name }) => name);
  const cell = Math.max(16, Math.min(44, 760 / Math.max(1, kept.length)));
  const margin = labelWidth(names);
  const most = Math.max(1, ...cells.map(([, , percent]) => percent!));
  return render(margin + 10 + kept.length * cell, {
    grid: { ...fixed, left: margin, right: 70, top: margin, bottom: 10 },
    xAxis: { type: 'category', data: names, position: 'top', axisLabel: { rotate: 60, interval: 0 } },
    yAxis: { type: 'category', data: names, inverse: true, axisLabel: { interval: 0 } },
    visualMap: {
      min: 0,
      max: most,
      orient: 'vertical',
      right: 0,
      top: 'middle',
      text: [`${Math.round(most)}%`, '0'],
      calculable: false,
      inRange: { color: ['#f7fbff', '#6baed6', '#08306b'] },
    },
    series: [
      {
        type: 'heatmap',
        data: cells,
        label: {
          show: kept.length <= 20,
          formatter: ({ value }: { value: number[] }) => String(value[2]),
          fontSize: 10,
        },
        itemStyle: { borderColor: '#fff', borderWidth: 1 },
      },
    ],
  });
}

/** Instances with 0, 1, 2… labels. */
export function labelsPerInstanceChart({ labelsPerInstance }: Inspection): string {
  return render(240, {
    grid: { ...fixed, left: 50, right: 30, top: 30, bottom: 24 },
    xAxis: { type: 'category', data: labelsPerInstance.map((_, labels) => String(labels)) },
    yAxis: { type: 'value', axisLabel: { formatter: compact } },
    series: [
      {
        type: 'bar',
        itemStyle: { color: splitColours.train },
        label: {
          show: true,
          position: 'top',
          formatter: ({ value }: { value: number }) => value.toLocaleString('en-US'),
        },
        data: [...labelsPerInstance],
      },
    ],
  });
}

function render(height: number, option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'system-ui, sans-serif' }, ...option });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

// Without a browser ECharts guesses the width of text too low and would cut long names off: margins are our own.
const fixed = { outerBoundsMode: 'none' } as const;

function labelWidth(names: readonly string[]): number {
  return 20 + 7 * Math.max(...names.map((name) => Math.min(40, name.length)));
}

function compact(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
