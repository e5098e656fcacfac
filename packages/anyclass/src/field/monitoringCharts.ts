// The charts of monitoring: the evidence on a promise, and the range of the rate, over time.

import { inPercent, type PromiseJudgment } from '@anyclass/core';
import { countText, type Line, lineChart } from '@anyclass/kit';

/** The logarithms between which evidence is drawn at most: beyond, it is beyond doubt. */
const [leastEver, mostEver] = [-3, 6];

/** What the charts of a promise are called, and what was promised. */
export interface ChartedPromise {
  /** The start of their files' names. */
  readonly name: string;
  readonly evidence: string;
  readonly rate: string;
  readonly unit: string;
  readonly limit: number;
  readonly confidence: number;
}

export function evidenceChart({ path, threshold, alert }: PromiseJudgment, about: ChartedPromise) {
  const logs = path.flatMap(({ capital, certificate }) => [capital, certificate].map(Math.log10));
  const leastLog = Math.max(leastEver, Math.floor(Math.min(-1, ...logs)));
  const mostLog = Math.min(mostEver, Math.ceil(Math.max(Math.log10(threshold) + 0.2, ...logs)));
  const decades = Array.from({ length: mostLog - leastLog + 1 }, (_, i) => leastLog + i);
  const log = (capital: number) => Math.max(leastLog, Math.min(mostLog, Math.log10(capital)));
  const line = (called: string, of: 'capital' | 'certificate'): Line => ({
    name: called,
    points: [{ x: 0, y: 0 }, ...path.map((point) => ({ x: point.line, y: log(point[of]) }))],
  });
  const last = path.at(-1)?.line ?? 1;
  const svg = lineChart(
    [
      line('against', 'capital'),
      line('for', 'certificate'),
      {
        name: `${countText(threshold)} settles it`,
        isReference: true,
        points: [0, last].map((x) => ({ x, y: Math.log10(threshold) })),
      },
    ],
    {
      label: 'Evidence against and for the promise over time',
      x: 'line of the log',
      y: 'evidence',
      yRange: [leastLog, mostLog],
      yTicks: decades.map((at) => ({ at, text: at < 0 ? `${10 ** at}` : countText(10 ** at) })),
      xIsWhole: true,
      height: 240,
      ...(alert && { mark: { at: alert.line, text: 'alert' } }),
    },
  );
  return {
    name: `${about.name}evidence`,
    title: about.evidence,
    svg,
    note: `Evidence is the capital of a bet against the promise, and of one for it, each starting at 1. By chance alone, at most 1 in ${countText(threshold)} ever reaches ${countText(threshold)}.`,
  };
}

export function rateChart({ path, rate }: PromiseJudgment, about: ChartedPromise) {
  const { name, unit, limit, confidence } = about;
  const most = Math.min(1, Math.max(2 * limit, 1.5 * rate.low, 1.2 * rate.high, 0.02));
  // The first images leave everything open: the line starts where it says something.
  const clipped = (share: number) => (share > most ? null : 100 * share);
  const last = path.at(-1)?.line ?? 1;
  const bound = (called: string, of: 'low' | 'high'): Line => ({
    name: called,
    points: path.map((point) => ({ x: point.line, y: clipped(point[of]) })),
  });
  const svg = lineChart(
    [
      bound('at most', 'high'),
      bound('at least', 'low'),
      {
        name: `${inPercent(limit)} promised`,
        isReference: true,
        points: [0, last].map((x) => ({ x, y: 100 * limit })),
      },
    ],
    {
      label: `Range of ${about.rate} over time`,
      x: 'line of the log',
      y: unit,
      yRange: [0, 100 * most],
      xIsWhole: true,
      height: 240,
    },
  );
  return {
    name: `${name}rate`,
    title: `Range of ${about.rate}`,
    svg,
    note: `Both ends hold at all times, each with ${inPercent(confidence)} confidence.`,
  };
}
