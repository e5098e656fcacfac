// Simulated streams of a deployed model: how often good promises are accused, and how soon broken ones are found.

import { type Monitoring, monitor } from '@anyclass/core';
import { median } from '../measure/timing.js';
import { type SimulatedLog, simulatedLog } from './simulatedLogs.js';

const IMAGES = 40_000;

/** 80% of the images are negative, and half of the positives alarm. */
type Stream = Omit<SimulatedLog, 'images'>;

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
    ['q of 2% and 20% in turns of 1,000 images', 0.05, { q: inTurns }],
    ['q of 2% and 20% in turns of 1,000 images', 0.075, { q: inTurns }],
  ] as const) {
    const found = judged(streams, 0.05, { q: 0.1, rate, ...missing }).map(({ result }) => result);
    const share = (has: (result: Monitoring) => boolean) => percent(found.filter(has).length / streams);
    console.log(
      `| ${name} | ${percent(rate)} | ${share(({ alert }) => alert !== null)} | ${share(({ verdict }) => verdict === 'holds')} |`,
    );
  }
  printMissed(streams);
  printLateLabels(Math.ceil(streams / 10));
}

/** Prints the same for the promise that at most 5% of positives are cleared. */
function printMissed(streams: number): void {
  console.log(
    '\n| at most 5% of positives cleared, q 10% | true rate | accused | images until then, median | certified |',
  );
  console.log('|---|---|---|---|---|');
  for (const [name, cleared, missing] of [
    ['all labels', 0.025, {}],
    ['all labels', 0.05, {}],
    ['all labels', 0.1, {}],
    ['all labels', 0.15, {}],
    ['half of the drawn images are never labeled', 0.1, { labeledDrawn: 0.5 }],
    ['q of 2% and 20% in turns of 1,000 images', 0.05, { q: inTurns }],
  ] as const) {
    const found = Array.from({ length: streams }, (_, seed) => {
      const { log, labels } = simulatedLog({ images: IMAGES, q: 0.1, rate: 0.02, ...missing, cleared, seed });
      return monitor(log, labels, { falseAlarms: 0.05, missed: 0.05 }).missed!;
    });
    const accused = found.flatMap(({ alert }) => (alert === null ? [] : [alert.line]));
    const certified = found.filter(({ verdict }) => verdict === 'holds').length;
    console.log(
      `| ${name} | ${percent(cleared)} | ${percent(accused.length / streams)} | ` +
        `${accused.length > streams / 2 ? rounded(median(accused)) : ''} | ${percent(certified / streams)} |`,
    );
  }
}

/** Prints how often late labels accuse a promise: seen every 4,000 images, when the labels of the last 3,000 are missing. */
function printLateLabels(streams: number): void {
  console.log(
    '\n| promised 5%, q 10%, labels 3,000 images late, seen 10 times | true rate | accused | certified |',
  );
  console.log('|---|---|---|---|');
  for (const rate of [0.03, 0.05, 0.075]) {
    const found = Array.from({ length: streams }, (_, seed) => {
      const { log, labels } = simulatedLog({ images: IMAGES, q: 0.1, rate, seed });
      let [isAccused, isCertified] = [false, false];
      for (let now = 4000; now <= IMAGES; now += 4000) {
        const known = new Map<string, boolean>();
        for (const { id } of log.slice(0, Math.max(0, now - 3000))) {
          const label = labels.get(id);
          if (label !== undefined) known.set(id, label);
        }
        const { alert, verdict } = monitor(log.slice(0, now), known, { falseAlarms: 0.05 });
        isAccused ||= alert !== null;
        isCertified ||= verdict === 'holds';
      }
      return { isAccused, isCertified };
    });
    const share = (name: 'isAccused' | 'isCertified') =>
      percent(found.filter((each) => each[name]).length / streams);
    console.log(
      `| every 4,000 images | ${percent(rate)} | ${share('isAccused')} | ${share('isCertified')} |`,
    );
  }
}

/** A share of audits that changes. */
function inTurns(line: number): number {
  return Math.floor(line / 1000) % 2 === 0 ? 0.02 : 0.2;
}

function judged(streams: number, falseAlarms: number, stream: Omit<Stream, 'seed'>) {
  return Array.from({ length: streams }, (_, seed) => {
    const { log, labels } = simulatedLog({ ...stream, images: IMAGES, seed });
    return { log, result: monitor(log, labels, { falseAlarms }) };
  });
}

function rounded(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
