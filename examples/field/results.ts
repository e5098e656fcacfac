// The results of the field test: a table to read, all numbers as JSON, and a chart of the evidence over time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFile, type Line, lineChart } from '@anyclass/kit';
import type { MonitoredStream } from 'anyclass';

export interface JudgedStream {
  /** What monitoring knows: the log, and labels of what was drawn or alarmed. */
  readonly stream: MonitoredStream;
  /** Lines of the log before its first one. */
  readonly linesBefore: number;
  /** The true shares, over all images. */
  readonly negativesAlarmed: number;
  readonly positivesAlarmed: number;
}

/** Prints the table and writes it, the numbers and the chart to a folder. */
export function writeResults(folder: string, judged: readonly JudgedStream[]): void {
  const table = tableOf(judged);
  console.log(`\n${table}`);
  writeFileSync(join(folder, 'table.md'), table);
  writeFileSync(join(folder, 'field.json'), `${JSON.stringify(judged.map(thinned), null, 1)}\n`);
  writeFileSync(join(folder, 'evidence.svg'), chartFile(evidence(judged), 720));
}

function tableOf(judged: readonly JudgedStream[]): string {
  const rows = judged.map(({ stream, linesBefore, negativesAlarmed, positivesAlarmed }) => {
    const { model, images, audited, alert, verdict, rate } = stream;
    return [
      model,
      count(images),
      percent(negativesAlarmed),
      percent(positivesAlarmed),
      count(audited),
      alert ? `after ${count(alert.line - linesBefore)} images` : 'none',
      `${percent(rate.low)} to ${percent(rate.high)}`,
      verdict,
    ];
  });
  const head = [
    'stream',
    'images',
    'negatives alarmed, in truth',
    'positives alarmed',
    'labeled',
    'alert',
    'range of the rate',
    'verdict',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Points of a line in the chart. */
const mostPoints = 150;

/** A result with lines counted within its stream, and few enough points to keep. */
function thinned({ stream, linesBefore, ...truth }: JudgedStream) {
  const { path, alert, ...rest } = stream;
  const stride = Math.ceil(path.length / mostPoints);
  const own = <T extends { readonly line: number }>(point: T): T => ({
    ...point,
    line: point.line - linesBefore,
  });
  return {
    ...truth,
    ...rest,
    alert: alert && own(alert),
    path: path.filter((_, i) => i % stride === 0 || i === path.length - 1).map(own),
  };
}

/** The logarithms between which evidence is drawn. */
const [leastLog, mostLog] = [-2, 5];

function evidence(judged: readonly JudgedStream[]): string {
  const log = (capital: number) => Math.max(leastLog, Math.min(mostLog, Math.log10(capital)));
  const lines = judged.map(thinned).map(
    ({ model, path }): Line => ({
      name: model ?? '',
      points: [{ x: 0, y: 0 }, ...path.map(({ line, capital }) => ({ x: line, y: log(capital) }))],
    }),
  );
  const last = Math.max(...lines.map(({ points }) => points.at(-1)?.x ?? 0));
  const threshold = judged[0]?.stream.threshold ?? 20;
  const alertLine: Line = {
    name: `alert at ${threshold}`,
    isReference: true,
    points: [0, last].map((x) => ({ x, y: Math.log10(threshold) })),
  };
  return lineChart([...lines, alertLine], {
    label: 'Evidence against the promise, by stream',
    x: 'images sent',
    y: 'capital bet against the promise',
    yRange: [leastLog, mostLog],
    yTicks: [-2, 0, 2, 4].map((each) => ({ at: each, text: each < 0 ? `${10 ** each}` : count(10 ** each) })),
    xIsWhole: true,
    height: 260,
  });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
