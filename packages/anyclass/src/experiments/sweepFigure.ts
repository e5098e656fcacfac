// The figure of a sweep: F1, F2 and mAP in one panel, F1-Neg in the other, with error bars over seeds.

import type { PaperFigure } from '@anyclass/core';
import { CustomChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { figureTitles } from './comparisonTables.js';
import type { Spread } from './spread.js';
import type { Sweep, SweepPoint } from './sweep.js';
import { type SweepAxis, sweepAxis } from './sweepAxis.js';

use([CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

// Okabe and Ito's colours, told apart by colour-blind readers; marks and dashes tell them apart in print.
const looks = [
  { color: '#0072B2', symbol: 'circle', dash: 'solid' },
  { color: '#D55E00', symbol: 'rect', dash: 'dashed' },
  { color: '#009E73', symbol: 'triangle', dash: 'dotted' },
  { color: '#444444', symbol: 'diamond', dash: 'solid' },
] as const;
const panelWidth = 440;
const height = 360;

/**
 * The figure as an SVG. Error bars are standard deviations over seeds, and both ends with two seeds.
 *
 * @example
 * writeFileSync('sweep.svg', sweepFigure(sweep, 'validation'))
 */
export function sweepFigure(
  { points, title }: Pick<Sweep, 'points' | 'title'>,
  split: 'validation' | 'test',
): string {
  const axis = sweepAxis(points.map(({ value }) => value));
  const { figures } = points[0]!.figures;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 2 * panelWidth, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#fff',
      textStyle: { fontFamily: 'system-ui, sans-serif' },
      legend: { top: 4, data: figures.map((figure) => figureTitles[figure]), itemWidth: 36 },
      grid: [0, 1].map((panel) => ({
        outerBoundsMode: 'none',
        left: panel * panelWidth + 60,
        width: panelWidth - 84,
        top: 44,
        bottom: 56,
      })),
      xAxis: [0, 1].map((gridIndex) => xAxis(axis, title, points, gridIndex)),
      yAxis: [`${split}, %`, `${split} F1-Neg, %`].map((name, gridIndex) => ({
        type: 'value',
        gridIndex,
        scale: true,
        name,
        nameLocation: 'middle',
        nameGap: 44,
        axisLine: { show: false },
      })),
      series: figures.flatMap((figure, i) => figureSeries(points, axis, split, figure, i)),
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

function xAxis(axis: SweepAxis, title: string, points: readonly SweepPoint[], gridIndex: number) {
  const names = new Map(
    points.map(({ value, figures }, i) => [
      axis.positions[i]!,
      value === null ? figures.loss : String(value),
    ]),
  );
  const marks = { customValues: axis.positions };
  return {
    type: 'value',
    gridIndex,
    min: axis.range[0],
    max: axis.range[1],
    name: axis.isLogarithmic ? `${title} (logarithmic)` : title,
    nameLocation: 'middle',
    nameGap: 34,
    splitLine: { show: false },
    axisLine: { onZero: false },
    axisTick: marks,
    axisLabel: { ...marks, formatter: (position: number) => names.get(position) ?? '', hideOverlap: true },
  };
}

function figureSeries(
  points: readonly SweepPoint[],
  axis: SweepAxis,
  split: 'validation' | 'test',
  figure: PaperFigure,
  index: number,
) {
  const { color, symbol, dash } = looks[index % looks.length]!;
  const panel = figure === 'f1Neg' ? 1 : 0;
  const place = { xAxisIndex: panel, yAxisIndex: panel };
  const spreads = points.map(({ figures }) => figures[split]?.[figure] ?? null);
  // Points that are no part of the axis stand alone: a gap on either side cuts the line.
  const data = points.flatMap((_, i) => {
    const point = [axis.positions[i]!, hundredfold(spreads[i]?.mean)];
    return axis.isApart[i] ? [point, [axis.positions[i]!, null]] : [point];
  });
  return [
    {
      type: 'line',
      name: figureTitles[figure],
      ...place,
      data,
      symbol,
      symbolSize: 8,
      color,
      lineStyle: { type: dash, width: 2 },
      connectNulls: false,
    },
    {
      type: 'custom',
      name: figureTitles[figure],
      ...place,
      color,
      silent: true,
      encode: { x: 0, y: [1, 2] },
      data: spreads.flatMap((spread, i) => errorBar(axis.positions[i]!, spread)),
      renderItem: (_: unknown, api: ErrorBarApi) => drawErrorBar(api, color),
    },
  ];
}

function errorBar(position: number, spread: Spread | null): number[][] {
  if (!spread || spread.values.length < 2) return [];
  const { mean, standardDeviation, lowest, highest, values } = spread;
  const [low, high] =
    values.length === 2
      ? [lowest, highest]
      : [mean - (standardDeviation ?? 0), mean + (standardDeviation ?? 0)];
  return [[position, 100 * low, 100 * high]];
}

interface ErrorBarApi {
  value(dimension: number): number;
  coord(point: [number, number]): number[];
}

function drawErrorBar(api: ErrorBarApi, stroke: string) {
  const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)]);
  const [, high = 0] = api.coord([api.value(0), api.value(2)]);
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke, lineWidth: 1.2 },
  });
  return {
    type: 'group',
    children: [line(x, low, x, high), line(x - 4, low, x + 4, low), line(x - 4, high, x + 4, high)],
  };
}

function hundredfold(share: number | undefined): number | null {
  return share === undefined ? null : 100 * share;
}
