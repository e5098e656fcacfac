import { seriesColours } from '../../pages/palette.js';
import { axis, legend, light, ownMargins, renderChart } from './render.js';

export interface LinePoint {
  readonly x: number;
  /** Null leaves a gap. */
  readonly y: number | null;
  /** The ends of an error bar. */
  readonly low?: number;
  readonly high?: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly LinePoint[];
  /** Something to compare with, such as the ideal: thin and gray. */
  readonly isReference?: boolean;
}

export interface LineChartOptions {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Default: from the data. */
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  /** Ticks in place of even ones, with their texts. */
  readonly xTicks?: readonly { readonly at: number; readonly text: string }[];
  /** Ticks at whole numbers only. */
  readonly xIsWhole?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/**
 * Lines over a common axis as SVG. Each has its own colour, marker and dashes.
 *
 * @example
 * lineChart([{ name: 'loss', points: [{ x: 1, y: 0.7 }, { x: 2, y: 0.5 }] }], { title: 'Training', x: 'epoch', y: 'loss' })
 * // '<svg …'
 */
export function lineChart(lines: readonly Line[], options: LineChartOptions): string {
  const { title, x, y, xRange, yRange, xTicks, width = 470, height = 300 } = options;
  const names = legend(
    lines.map(({ name }) => name),
    width,
  );
  const texts = new Map(xTicks?.map(({ at, text }) => [at, text]));
  const shown = xTicks && { customValues: xTicks.map(({ at }) => at) };
  const xAxis = axis(x, 30);
  const yAxis = axis(y, 42);
  return renderChart(
    title,
    { width, height: height + names.height - 24 },
    {
      grid: { ...ownMargins, left: 58, right: 22, top: names.height + 14, bottom: 46 },
      legend: {
        ...names.option,
        data: lines.map(({ name, isReference }) => (isReference ? { name, icon: bareLine } : name)),
      },
      xAxis: {
        ...xAxis,
        type: 'value',
        ...(options.xIsWhole && { minInterval: 1 }),
        ...(xRange && { min: xRange[0], max: xRange[1] }),
        ...(shown && {
          axisTick: { ...xAxis.axisTick, ...shown },
          axisLabel: { ...xAxis.axisLabel, ...shown, formatter: (at: number) => texts.get(at) ?? '' },
          splitLine: { show: false },
        }),
      },
      yAxis: {
        ...yAxis,
        type: 'value',
        scale: yRange === undefined,
        ...(yRange && { min: yRange[0], max: yRange[1] }),
      },
      series: [...lines.map(lineSeries), ...lines.flatMap(errorSeries)],
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

const markers = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect'] as const;
const dashes = ['solid', [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [5, 2, 1, 2, 1, 2]] as const;

/** How a line looks. Colours come first; where they are used up, dashes move on, so that no two of 36 are the same. */
function lookOf(index: number) {
  const round = Math.floor(index / seriesColours.length);
  const colour = seriesColours[index % seriesColours.length]!.light;
  return {
    colour,
    marker: markers[index % markers.length]!,
    dash: dashes[(index + round) % dashes.length]!,
  };
}

function lineSeries({ name, points, isReference = false }: Line, index: number) {
  const { colour, marker, dash } = isReference ? referenceLook : lookOf(index);
  // Lines of many points are marked here and there, each at places of its own.
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
    itemStyle: { color: colour },
    lineStyle: {
      width: isReference ? 1 : 1.8,
      color: colour,
      type: typeof dash === 'string' ? dash : [...dash],
    },
  };
}

/** A line without a marker, which ECharts would otherwise show with a dot in the legend. */
const bareLine = 'path://M0,0H25V1H0Z';
const referenceLook = { colour: light.faint, marker: 'none', dash: 'solid' } as const;

interface DrawingApi {
  value(dimension: number): number;
  coord(point: readonly number[]): [number, number];
}

function errorSeries({ name, points }: Line, index: number) {
  const data = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [[x, low, high]],
  );
  if (data.length === 0) return [];
  const stroke = lookOf(index).colour;
  const cap = 4;
  return [
    {
      type: 'custom',
      name,
      silent: true,
      z: 1,
      data,
      encode: { x: 0, y: [1, 2] },
      itemStyle: { color: stroke },
      renderItem: (_: unknown, api: DrawingApi) => {
        const [x, low] = api.coord([api.value(0), api.value(1)]);
        const [, high] = api.coord([api.value(0), api.value(2)]);
        const line = (x1: number, y1: number, x2: number, y2: number) => ({
          type: 'line',
          shape: { x1, y1, x2, y2 },
          style: { stroke, lineWidth: 1.2 },
        });
        return {
          type: 'group',
          children: [
            line(x, low, x, high),
            line(x - cap, low, x + cap, low),
            line(x - cap, high, x + cap, high),
          ],
        };
      },
    },
  ];
}

/** A number with as many digits as a reader wants. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
