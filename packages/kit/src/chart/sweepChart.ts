// Plots metrics against a swept value such as λ, as in the paper: a log axis, with 0 and the standard loss
// set apart on its left.

import { type Line, lineChart } from './lineChart.js';
import { textWidth } from './plot.js';

export interface SweepChartPoint {
  /** Null for the standard loss, which has no such value. */
  readonly value: number | null;
  readonly mean: number;
  /** Ends of the error bar. */
  readonly low?: number;
  readonly high?: number;
}

export interface SweepLine {
  readonly name: string;
  readonly points: readonly SweepChartPoint[];
}

export interface SweepChartOptions {
  readonly label: string;
  /** Name of the swept value, such as λ. */
  readonly x: string;
  readonly y: string;
  /** Label of the standard loss on the axis, such as bce. */
  readonly standard: string;
  readonly height?: number;
}

/**
 * Draws one panel: a line for each metric, in percent. Points of the standard loss and of 0 are not joined to
 * the others, because they have no place on a log axis.
 *
 * @example
 * const points = [{ value: null, mean: 40.9 }, { value: 0, mean: 43.6 }, { value: 0.02, mean: 43.9 }, { value: 1, mean: 40.9 }];
 * sweepChart([{ name: 'F1', points }], { label: 'F1 against λ', x: 'λ', y: '%', standard: 'bce' }) // '<svg …'
 */
export function sweepChart(lines: readonly SweepLine[], options: SweepChartOptions): string {
  const { standard, ...shared } = options;
  const values = [...new Set(lines.flatMap(({ points }) => points.map(({ value }) => value)))];
  const { step, ticks, placeOf } = sweepAxis(values, standard);
  const drawn = lines.map(({ name, points }): Line => {
    const sorted = points.toSorted((a, b) => placeOf(a.value) - placeOf(b.value));
    return {
      name,
      points: sorted.flatMap(({ value, mean, low, high }) => {
        const x = placeOf(value);
        const point = {
          x,
          y: mean,
          ...(low !== undefined && high !== undefined && { low, high }),
        };
        const isApart = value === null || value === 0;
        return isApart ? [point, { x: x + step / 2, y: null }] : [point];
      }),
    };
  });
  return lineChart(drawn, {
    ...shared,
    yIsPercent: true,
    xTicks: ticks,
    xRange: [(ticks[0]?.at ?? 0) - step / 2, (ticks.at(-1)?.at ?? 0) + step / 2],
  });
}

interface SweepAxis {
  /** Distance by which 0 and the standard loss are set apart. */
  readonly step: number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly placeOf: (value: number | null) => number;
}

/**
 * Returns a log axis or, if labels would touch on it, one with evenly spaced values. Values of β such as 0.9,
 * 0.99 and 0.999 have nearly the same logarithm.
 */
function sweepAxis(values: readonly (number | null)[], standard: string): SweepAxis {
  const positive = values.filter((value) => value !== null && value > 0).sort((a, b) => a! - b!);
  const axisOf = (places: readonly number[], leastStep: number): SweepAxis => {
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    const step = Math.max(leastStep, (last - first) / 7);
    const placeOf = (value: number | null) =>
      value === null ? first - 2 * step : value === 0 ? first - step : places[positive.indexOf(value)]!;
    const ticks = values
      .map((value) => ({ at: placeOf(value), text: value === null ? standard : String(value) }))
      .sort((a, b) => a.at - b.at);
    return { step, ticks, placeOf };
  };
  const logAxis = axisOf(
    positive.map((value) => Math.log10(value!)),
    0.35,
  );
  return labelsTouch(logAxis)
    ? axisOf(
        positive.map((_, i) => i),
        1,
      )
    : logAxis;
}

/** Assumes the narrowest plot, that of a phone: about 260 pixels. */
function labelsTouch({ step, ticks }: SweepAxis): boolean {
  const gap = 4;
  const width = 260;
  const scale = width / (ticks.at(-1)!.at - ticks[0]!.at + step);
  const half = (text: string) => textWidth(text) / 2;
  return ticks.slice(1).some(({ at, text }, i) => {
    const before = ticks[i]!;
    return (at - before.at) * scale < half(before.text) + half(text) + gap;
  });
}
