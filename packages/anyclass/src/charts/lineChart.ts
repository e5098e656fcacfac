import type { Line } from './line.js';
import { bandSeries, errorSeries } from './lineEnds.js';
import { lookOf } from './lineLook.js';
import { axis, legend, light, ownMargins, renderChart } from './render.js';

export interface LineChartOptions {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Default: the range of the data. */
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  /** Whether the y axis stays within 0 and 100 if `yRange` is omitted. */
  readonly yIsPercent?: boolean;
  /** Ticks and their labels, instead of evenly spaced ones. */
  readonly xTicks?: readonly { readonly at: number; readonly text: string }[];
  /** How the ends of points are drawn; default `bars`. */
  readonly ends?: 'bars' | 'band';
  /** Whether ticks are only at whole numbers. */
  readonly xIsWhole?: boolean;
  readonly width?: number;
  readonly height?: number;
}

const usualWidth = 470;
// Long enough to show the dashes of a line on both sides of its marker.
const legendLine = 44;
const sides = { left: 58, right: 22 } as const;

/** Returns the width between the margins. */
export function plotWidth({ width = usualWidth }: Pick<LineChartOptions, 'width'>): number {
  return width - sides.left - sides.right;
}

/**
 * Draws lines over a common axis as SVG. Each has its own color, marker and dashes.
 *
 * @example
 * lineChart([{ name: 'loss', points: [{ x: 1, y: 0.7 }, { x: 2, y: 0.5 }] }], { title: 'Training', x: 'epoch', y: 'loss' })
 * // '<svg …'
 */
export function lineChart(lines: readonly Line[], options: LineChartOptions): string {
  const { title, x, y, xRange, yRange, xTicks, width = usualWidth, height = 300 } = options;
  const names = legend(
    lines.map(({ name }) => name),
    width,
    legendLine,
  );
  const texts = new Map(xTicks?.map(({ at, text }) => [at, text]));
  const shown = xTicks && { customValues: xTicks.map(({ at }) => at) };
  const xAxis = axis(x, 30);
  return renderChart(
    title,
    { width, height: height + names.height - 24 },
    {
      grid: { ...ownMargins, ...sides, top: names.height + 14, bottom: 46 },
      legend: {
        ...names.option,
        itemHeight: 10,
        data: lines.map(({ name, isReference }) => (isReference ? { name, icon: bareLine } : name)),
      },
      xAxis: {
        ...xAxis,
        type: 'value',
        ...(options.xIsWhole && { minInterval: 1 }),
        ...(xRange && { min: xRange[0], max: xRange[1] }),
        ...(shown && {
          axisTick: { ...xAxis.axisTick, ...shown },
          axisLabel: {
            ...xAxis.axisLabel,
            ...shown,
            hideOverlap: true,
            formatter: (at: number) => texts.get(at) ?? '',
          },
          splitLine: { show: false },
        }),
      },
      yAxis: {
        ...axis(y, 42),
        type: 'value',
        ...(yRange
          ? { min: yRange[0], max: yRange[1] }
          : options.yIsPercent
            ? percentBounds(lines)
            : { scale: true }),
      },
      series: [
        ...lines.map(lineSeries),
        ...(options.ends === 'band' ? lines.flatMap(bandSeries) : lines.flatMap(errorSeries)),
      ],
    },
    (series, data) => {
      const point = lines[series]?.points[data];
      if (!point || point.y === null) return undefined;
      const range =
        point.low === undefined || point.high === undefined
          ? ''
          : ` (${short(point.low)} to ${short(point.high)})`;
      return `${lines[series]!.name}, ${x} ${texts.get(point.x) ?? short(point.x)}: ${short(point.y)}${range}`;
    },
  );
}

/**
 * Returns the bounds and ticks of a percent axis. ECharts' own would extend past 0 or 100 if all values are
 * the same, and differences of less than a point would fill the chart.
 */
function percentBounds(lines: readonly Line[]) {
  const values = lines
    .flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low ?? null, high ?? null]))
    .filter((value) => value !== null);
  if (values.length === 0) return { min: 0, max: 100 };
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const missing = Math.max(0, 1 - (highest - lowest)) / 2;
  const [from, to] = [Math.max(0, lowest - missing), Math.min(100, highest + missing)];
  const interval = [0.2, 0.5, 1, 2, 5, 10].find((step) => to - from <= 6 * step) ?? 20;
  const tidy = (steps: number) => Number((steps * interval).toFixed(1));
  return { min: tidy(Math.floor(from / interval)), max: tidy(Math.ceil(to / interval)), interval };
}

function lineSeries({ name, points, isReference = false }: Line, index: number) {
  const { color, marker, dash } = isReference ? referenceLook : lookOf(index);
  // Lines with many points have only a few markers, each line at different points.
  const every = points.length <= 30 ? 1 : Math.ceil(points.length / 8);
  return {
    type: 'line',
    name,
    data: points.map(({ x, y }, i) =>
      i % every === (3 * index) % every ? [x, y] : { value: [x, y], symbol: 'none' },
    ),
    symbol: marker,
    symbolSize: 7,
    showAllSymbol: true,
    itemStyle: { color: color },
    lineStyle: {
      width: isReference ? 1 : 1.8,
      color: color,
      type: typeof dash === 'string' ? dash : [...dash],
    },
  };
}

/** The legend icon of a line without a marker, which ECharts would otherwise show with a dot. */
const bareLine = 'path://M0,0H25V1H0Z';
const referenceLook = { color: light.faint, marker: 'none', dash: 'solid' } as const;

/** Formats a number with at most four significant digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
