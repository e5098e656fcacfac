import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { shortNumber } from '../numbers.js';
import { type Label, spreadLabels } from './labels.js';
import { type Places, plot, textWidth } from './plot.js';
import { type SeriesLook, seriesLook, strokeOf } from './series.js';
import { roundRange, roundTicks, type Tick } from './ticks.js';

export interface LinePoint {
  readonly x: number;
  /** Null leaves a gap. */
  readonly y: number | null;
  /** Ends of the whisker, or of the band at this point. */
  readonly low?: number;
  readonly high?: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly LinePoint[];
  /** Whether it is only there for comparison, such as the ideal; thin and gray. */
  readonly isReference?: boolean;
  /** A point to mark with a large dot, such as what was chosen. */
  readonly chosen?: { readonly x: number; readonly y: number };
}

export interface LineChartOptions {
  readonly label: string;
  readonly x: string;
  readonly y: string;
  /** Default: the range of the data. */
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  /** Whether the y axis stays within 0 and 100 if `yRange` is omitted. */
  readonly yIsPercent?: boolean;
  /** Ticks and their texts, instead of evenly spaced ones. */
  readonly xTicks?: readonly Tick[];
  readonly yTicks?: readonly Tick[];
  /** Whether ticks are only at whole numbers. */
  readonly xIsWhole?: boolean;
  /** How the ends of points are drawn; default `whiskers`. */
  readonly ends?: 'whiskers' | 'band';
  /** A vertical line, such as the chosen epoch. */
  readonly mark?: { readonly at: number; readonly text: string };
  readonly height?: number;
}

/** More names than this do not fit beside a chart; the others show theirs under the pointer. */
const mostNames = 16;

/**
 * Draws lines over a common axis, each with its name at its end instead of a legend.
 *
 * @example
 * lineChart([{ name: 'loss', points: [{ x: 1, y: 0.7 }, { x: 2, y: 0.5 }] }], { label: 'Loss', x: 'epoch', y: 'loss' }) // '<svg …'
 */
export function lineChart(lines: readonly Line[], options: LineChartOptions): string {
  const { label, mark, ends = 'whiskers' } = options;
  const height = Math.max(options.height ?? 190, 14 * Math.min(mostNames, lines.length));
  const points = lines.flatMap((line) => [...line.points, ...(line.chosen ? [line.chosen] : [])]);
  const xRange = options.xRange ?? rangeOf(points.map(({ x }) => x));
  const yRange = options.yRange ?? valueRange(points, options.yIsPercent ?? false);
  const named = lines.slice(0, mostNames).filter(({ name }) => name !== '');
  const nameWidth = Math.max(0, ...named.map(({ name }) => textWidth(shortened(name))));
  const looks = looksOf(lines);
  return plot(
    {
      label,
      height,
      x: {
        range: xRange,
        ticks: options.xTicks ?? roundTicks(...xRange, 5, { isWhole: options.xIsWhole ?? false }),
        name: options.x,
      },
      y: { range: yRange, ticks: options.yTicks ?? roundTicks(...yRange, 5), name: options.y },
      margins: { right: nameWidth > 0 ? nameWidth + 14 : 12 },
    },
    (at) =>
      [
        mark === undefined ? '' : rule(at, mark, height),
        ...lines.map((line, i) => endMarks(line, looks[i]!, at, ends, height)),
        ...lines.map((line, i) => lineMarks(line, looks[i]!, at, options)),
        namesAtEnds(named, looks, at, height),
      ].join(''),
  );
}

/** A dashed vertical line with its text. */
export function rule(
  at: Places,
  mark: { readonly at: number; readonly text: string },
  height: number,
): string {
  const place = at.x(mark.at);
  return `<line class="rule" x1="${place}" x2="${place}" y1="0" y2="${height}"/><text x="${place}" dx="5" y="10" class="halo" style="fill:${color('accent')}">${escaped(mark.text)}</text>`;
}

function looksOf(lines: readonly Line[]): SeriesLook[] {
  let used = 0;
  return lines.map(({ isReference }) =>
    isReference ? { stroke: color('rule-strong'), dash: '' } : seriesLook(used++),
  );
}

function lineMarks(line: Line, look: SeriesLook, at: Places, { x, xTicks }: LineChartOptions): string {
  const texts = new Map(xTicks?.map((tick) => [tick.at, tick.text]));
  const paths = runsOf(line.points).map((run) =>
    at.line(
      run.map((point) => [point.x, point.y]),
      strokeOf(look),
    ),
  );
  const { chosen } = line;
  const large =
    chosen === undefined
      ? ''
      : `<circle cx="${at.x(chosen.x)}" cy="${at.y(chosen.y)}" r="6" style="fill:${look.stroke};stroke:${color('page')}" stroke-width="2" data-label="${escaped(`${line.name}, chosen, ${x} ${shortNumber(chosen.x)}: ${shortNumber(chosen.y)}`)}"/>`;
  const isSparse = line.points.length <= 30 && !line.isReference;
  const dots = line.points.map(({ x: px, y, low, high }) => {
    if (y === null || line.isReference) return '';
    const range =
      low === undefined || high === undefined ? '' : ` (${shortNumber(low)} to ${shortNumber(high)})`;
    const label = `${line.name}, ${x} ${texts.get(px) ?? shortNumber(px)}: ${shortNumber(y)}${range}`;
    const mark = isSparse && line.points.length <= 12 ? `fill="${look.stroke}"` : 'fill="transparent"';
    return `<circle cx="${at.x(px)}" cy="${at.y(y)}" r="${isSparse ? 3 : 5}" ${mark} data-label="${escaped(label)}"/>`;
  });
  return paths.join('') + (line.points.length <= 60 ? dots.join('') : '') + large;
}

function endMarks(
  { points }: Line,
  { stroke }: SeriesLook,
  at: Places,
  ends: 'whiskers' | 'band',
  height: number,
): string {
  const known = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [{ x, low, high }],
  );
  if (ends === 'band') {
    if (known.length < 2) return '';
    const outline = [
      ...known.map(({ x, high }) => [x, high] as const),
      ...known.toReversed().map(({ x, low }) => [x, low] as const),
    ];
    return at.area(outline, `class="band" style="fill:${stroke}"`);
  }
  return known
    .map(({ x, low, high }) => {
      const place = at.x(x);
      const [top, bottom] = [Math.max(0, at.y(high)), Math.min(height, at.y(low))];
      return `<line x1="${place}" x2="${place}" y1="${bottom}" y2="${top}" style="stroke:${stroke}" stroke-opacity=".55" stroke-width="2"/>`;
    })
    .join('');
}

function namesAtEnds(
  lines: readonly Line[],
  looks: readonly SeriesLook[],
  at: Places,
  height: number,
): string {
  const ends = lines.flatMap((line, i) => {
    const last = line.points.findLast(({ y }) => y !== null);
    return last ? [{ line, look: looks[i]!, x: last.x, y: at.y(last.y!) }] : [];
  });
  const labels: Label[] = ends.map(({ line, y }) => ({ text: line.name, y }));
  const heights = spreadLabels(labels, height);
  return ends
    .map(({ line, look, x }, i) => {
      const fill = line.isReference ? color('ink-3') : look.stroke;
      return `<text x="${at.x(x)}" dx="8" y="${heights[i]! + 4}" class="halo" style="fill:${fill}">${escaped(shortened(line.name))}</text>`;
    })
    .join('');
}

/** Pixels that a name may take beside a chart: enough for a network, a loss and its λ. */
const mostNameWidth = 166;

/** Keeps both ends of a long name, since several of them often differ at the end alone. */
function shortened(name: string): string {
  if (textWidth(name) <= mostNameWidth) return name;
  const letters = [...name];
  return `${letters.slice(0, 11).join('')}…${letters.slice(-11).join('')}`;
}

/** The parts of a line between its gaps. */
function runsOf(points: readonly LinePoint[]): { readonly x: number; readonly y: number }[][] {
  const runs: { x: number; y: number }[][] = [[]];
  for (const { x, y } of points) {
    if (y === null) runs.push([]);
    else runs.at(-1)!.push({ x, y });
  }
  return runs.filter((run) => run.length > 1);
}

function valueRange(points: readonly LinePoint[], isPercent: boolean): [number, number] {
  const values = points
    .flatMap(({ y, low, high }) => [y, low ?? null, high ?? null])
    .filter((value): value is number => value !== null && Number.isFinite(value));
  return roundRange(values, isPercent ? { within: [0, 100], least: 1 } : {});
}

function rangeOf(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  const ends: [number, number] = [
    values.reduce((a, b) => Math.min(a, b)),
    values.reduce((a, b) => Math.max(a, b)),
  ];
  return ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends;
}
