// Curves over steps or epochs, with values under the pointer. uPlot draws thousands of points in a millisecond.

import type { Color } from '@anyclass/kit';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Curve {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly color: Color;
  readonly dash?: readonly number[];
}

export interface CurvesProps {
  readonly title: string;
  /** Places of the values. */
  readonly at: readonly number[];
  readonly curves: readonly Curve[];
  readonly text: (value: number) => string;
  readonly height?: number;
}

/**
 * @example
 * <Curves title="Loss" at={steps.at} curves={[{ name: 'training', values: steps.loss, color: 'series-1' }]} text={shortNumber} />
 */
export function Curves({ title, at, curves, text, height = 184 }: CurvesProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const shape = curves.map(({ name, color }) => `${name} ${color}`).join('\n');
  useEffect(() => {
    const place = box.current!;
    const drawn = new uPlot(optionsOf(place, height, curves, text), dataOf(at, curves), place);
    chart.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: place.clientWidth, height }));
    observer.observe(place);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => drawn.redraw();
    dark.addEventListener('change', redraw);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', redraw);
      drawn.destroy();
    };
  }, [shape, height]);
  useEffect(() => chart.current?.setData(dataOf(at, curves)), [at, curves]);
  const last = curves.map(({ name, values }) => {
    const value = values.findLast((each) => each !== null);
    return value === undefined || value === null ? `${name} has no value` : `${name} ${text(value)}`;
  });
  return (
    <figure class="curves">
      <figcaption>{title}</figcaption>
      <div ref={box} role="img" aria-label={`${title}; last: ${last.join(', ')}`} />
    </figure>
  );
}

function dataOf(at: readonly number[], curves: readonly Curve[]): uPlot.AlignedData {
  return [[...at], ...curves.map(({ values }) => [...values])];
}

/** Without a pointer on the chart, its legend has the last values. */
function showLast(chart: uPlot): void {
  const last = chart.data[0].length - 1;
  if (last >= 0 && (chart.cursor.idx === null || chart.cursor.idx === undefined))
    chart.setLegend({ idx: last }, false);
}

/** Canvases know no CSS variables. */
function colorOf(name: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
}

/** Epochs are whole. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => [1, 10, 100, 1000].map((times) => step * times))
  .sort((a, b) => a - b);

/**
 * Without the zeros that a value has and a tick does not need.
 *
 * @example
 * tickText('25.0') // '25'
 */
function tickText(text: string): string {
  return text.replace(/\.0+(?!\d)/, '');
}

function optionsOf(
  place: HTMLElement,
  height: number,
  curves: readonly Curve[],
  text: (value: number) => string,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => colorOf('ink-3'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: () => colorOf('rule'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(120, place.clientWidth),
    height,
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    hooks: { ready: [showLast], setData: [showLast], setCursor: [showLast] },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 24, gap: 4, incrs: wholeSteps, label: 'epoch', labelSize: 16, labelFont: axis.font! },
      { ...axis, size: 54, gap: 4, values: (_, ticks) => ticks.map((tick) => tickText(text(tick))) },
    ],
    series: [
      { label: 'epoch', value: (_, value) => (value === null ? '–' : value.toFixed(2)) },
      ...curves.map(
        ({ name, color, dash }): uPlot.Series => ({
          label: name,
          stroke: () => colorOf(color),
          width: 1.5,
          ...(dash && { dash: [...dash] }),
          points: { show: (_, __, from, to) => to - from < 40 },
          value: (_, value) => (value === null ? '–' : text(value)),
        }),
      ),
    ],
  };
}
