// Simulated streams of a deployed model: how often good promises are accused, and how soon broken ones are found.

import { type LogLine, type Monitoring, monitor, NumpyRandom } from '@anyclass/core';
import { median } from '../measure/timing.js';

const IMAGES = 40_000;

interface Stream {
  readonly q: number;
  readonly rate: number;
  readonly seed: number;
  /** The share of alarms, and of drawn images, that ever get a label. */
  readonly labeledAlarms?: number;
  readonly labeledDrawn?: number;
}

/** 80% of the images are negative, and half of the positives alarm. */
function streamOf({ q, rate, seed, labeledAlarms = 1, labeledDrawn = 1 }: Stream) {
  const random = new NumpyRandom(seed);
  const labels = new Map<string, boolean>();
  const log = Array.from({ length: IMAGES }, (_, k): LogLine => {
    const isTrulyNegative = random.random() < 0.8;
    const isAlarm = random.random() < (isTrulyNegative ? rate : 0.5);
    const drawn = random.random() < q;
    if (isAlarm ? random.random() < labeledAlarms : drawn && random.random() < labeledDrawn) {
      labels.set(`${k}`, isTrulyNegative);
    }
    return { id: `${k}`, isNegative: !isAlarm, audit: { q, drawn } };
  });
  return { log, labels };
}

/** Prints the delays until the alert, and what missing labels do. */
export function printMonitoring(streams: number): void {
  console.log(
    `\n${streams} streams of ${IMAGES.toLocaleString('en-US')} images; a promise is accused in at most 5% of those that keep it\n`,
  );
  console.log(
    '| promised | q | true rate | accused | images until then, median | audited or alarms | range of the rate misses it |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const [falseAlarms, q, rates] of [
    [0.05, 0.02, [0.04, 0.05, 0.075, 0.1, 0.15]],
    [0.05, 0.1, [0.05, 0.075, 0.1, 0.15]],
    [0.01, 0.02, [0.01, 0.015, 0.02, 0.03]],
  ] as const) {
    for (const rate of rates) {
      const found = judged(streams, falseAlarms, { q, rate });
      const accused = found.flatMap(({ result }) => (result.alert === null ? [] : [result.alert.line]));
      const spent = found.flatMap(({ result, log }) =>
        result.alert === null
          ? []
          : [
              log.slice(0, result.alert.line).filter(({ isNegative, audit }) => !isNegative || audit!.drawn)
                .length,
            ],
      );
      const missed = found.filter(
        ({ result: { rate: range } }) => range.low > rate || range.high < rate,
      ).length;
      console.log(
        `| ${percent(falseAlarms)} | ${percent(q)} | ${percent(rate)} | ${percent(accused.length / streams)} | ` +
          `${accused.length > streams / 2 ? `${rounded(median(accused))} | ${rounded(median(spent))}` : ' | '} | ${percent(missed / streams)} |`,
      );
    }
  }
  console.log('\n| promised 5%, q 10% | true rate | accused | certified |');
  console.log('|---|---|---|---|');
  for (const [name, rate, missing] of [
    ['all labels', 0.03, {}],
    ['no drawn image is ever labeled', 0.04, { labeledDrawn: 0 }],
    ['half of the alarms are never labeled', 0.08, { labeledAlarms: 0.5 }],
  ] as const) {
    const found = judged(streams, 0.05, { q: 0.1, rate, ...missing }).map(({ result }) => result);
    const share = (has: (result: Monitoring) => boolean) => percent(found.filter(has).length / streams);
    console.log(
      `| ${name} | ${percent(rate)} | ${share(({ alert }) => alert !== null)} | ${share(({ verdict }) => verdict === 'holds')} |`,
    );
  }
}

function judged(streams: number, falseAlarms: number, stream: Omit<Stream, 'seed'>) {
  return Array.from({ length: streams }, (_, seed) => {
    const { log, labels } = streamOf({ ...stream, seed });
    return { log, result: monitor(log, labels, { falseAlarms }) };
  });
}

function rounded(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
