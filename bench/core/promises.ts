// How often promises are broken, by simulation: with groups, after selection among several candidates, on both sides of triage, with
// a calibration, and in the field. `node bench/dist/core/promises.js [sets]`; the smaller simulations of the tests use the same models.

import {
  type FitDecisionOptions,
  fitDecision,
  NumpyRandom,
  presenceProbability,
  type Scored,
} from '@anyclass/core';
import { printCalibration } from './calibratedGates.js';
import { groupedSet, upperTail } from './groupedSets.js';
import { printMonitoring } from './monitoredStreams.js';

const sets = Number(process.argv[2] ?? 1000);
console.log(
  `${sets.toLocaleString('en-US')} simulated validation sets; 95% confidence, so at most 5% may exceed their limit\n`,
);
printGroups();
printSelection();
printTriage();
printCalibration(sets);
printMonitoring(Math.round(sets / 5));

function printGroups(): void {
  console.log(
    '| negatives of 1 to 20 a group, 5% false alarms | groups | sets that exceed it, at a correlation of 0 | 0.5 | 0.8 | mean true rate |',
  );
  console.log('|---|---|---|---|---|---|');
  const methods: [string, (set: Scored) => Scored, FitDecisionOptions][] = [
    ['over all images', ({ groups: _, ...set }) => set, {}],
    ['over one negative a group', (set) => set, {}],
    ['over groups, by their highest negative', (set) => set, { budget: { falseAlarms: 0.05, per: 'group' } }],
  ];
  for (const groups of [120, 400]) {
    for (const [name, prepare, options] of methods) {
      let mean = 0;
      const cells = [0, 0.5, 0.8].map((correlation) => {
        const random = new NumpyRandom(1);
        const rates = Array.from({ length: sets }, () => {
          const set = groupedSet(random, { groups, largest: 20, correlation, positives: 30 });
          return trueRate(fitDecision(prepare(set), { ...options, kappa: 0 }).presence);
        });
        mean += rates.reduce((sum, rate) => sum + rate, 0) / sets / 3;
        return percent(rates.filter((rate) => rate > 0.05).length / sets);
      });
      console.log(`| ${name} | ${groups} | ${cells.join(' | ')} | ${percent(mean)} |`);
    }
  }
}

function printSelection(): void {
  console.log('\n| the best by recall of | δ for each | δ divided by K |');
  console.log('|---|---|---|');
  for (const candidates of [1, 8, 32]) {
    const exceeding = [0, 0];
    const random = new NumpyRandom(2);
    const repeats = Math.ceil(sets / Math.sqrt(candidates));
    for (let repeat = 0; repeat < repeats; repeat++) {
      const models = Array.from({ length: candidates }, () =>
        groupedSet(random, { groups: 200, largest: 1, correlation: 0, positives: 100 }),
      );
      [1, candidates].forEach((divisor, k) => {
        const gates = models.map((model) => fitDecision(model, { candidates: divisor, kappa: 0 }).presence!);
        const recall = gates.map((gate, m) => {
          const least = presenceProbability(gate);
          return models[m]!.scores.filter((score, row) => row >= 200 && score >= least).length;
        });
        if (trueRate(gates[recall.indexOf(Math.max(...recall))]!) > 0.05) exceeding[k]!++;
      });
    }
    console.log(
      `| ${candidates} equal models | ${exceeding.map((count) => percent(count / repeats)).join(' | ')} |`,
    );
  }
}

function printTriage(): void {
  console.log(
    '\n| triage, 150 negatives and 100 positives | sets with too many false alarms | sets with too many missed | review |',
  );
  console.log('|---|---|---|---|');
  for (const [falseAlarms, missed] of [
    [0.05, 0.05],
    [0.1, 0.1],
  ] as const) {
    const random = new NumpyRandom(3);
    let [alarms, misses, review] = [0, 0, 0];
    for (let set = 0; set < sets; set++) {
      const rows = groupedSet(random, { groups: 150, largest: 1, correlation: 0, positives: 100 });
      const { presence, clear, report } = fitDecision(rows, { budget: { falseAlarms, missed }, kappa: 0 });
      if (trueRate(presence) > falseAlarms) alarms++;
      if (1 - upperTail(logitOf(clear!) - 2) > missed) misses++;
      review += report.triage!.rows.review / 250 / sets;
    }
    console.log(
      `| ${percent(falseAlarms)} and ${percent(missed)} | ${percent(alarms / sets)} | ${percent(misses / sets)} | ${percent(review)} |`,
    );
  }
}

/** The share of all negatives with at least this presence score. */
function trueRate(presence: number | null): number {
  return presence === null ? 0 : upperTail(logitOf(presence));
}

function logitOf(presence: number): number {
  const probability = presenceProbability(presence);
  return Math.log(probability / (1 - probability));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
