// How far per-class thresholds should shrink toward the shared one when there are few validation rows: decisions fitted on subsets of
// a validation split, evaluated on the test split. `node bench/dist/core/shrinkage.js`

import { type DecisionBudget, fitDecision, measure } from '@anyclass/core';
import { decisionRuns, readDecisionRun, subsample } from './decisionRuns.js';

const KAPPAS = [0, 10, 30];
// Number of rows, and how many draws of that size are averaged.
const SIZES = [
  [500, 20],
  [1000, 20],
  [2000, 12],
  [5000, 6],
  [16500, 1],
] as const;

for (const budget of [{ falseAlarms: 0.05 }, { falseAlarms: 0.05, confidence: null }]) printTable(budget);

function printTable(budget: DecisionBudget): void {
  console.log(`\n${JSON.stringify(budget)}: mean test macro F1 (false alarms), percent\n`);
  console.log(`| run | validation rows | ${KAPPAS.map((kappa) => `κ ${kappa}`).join(' | ')} |`);
  console.log(`|---|---|${'---|'.repeat(KAPPAS.length)}`);
  for (const name of decisionRuns) {
    const { validation, test } = readDecisionRun(name);
    for (const [rows, draws] of SIZES) {
      const cells = KAPPAS.map((kappa) => {
        let [f1, falseAlarms] = [0, 0];
        for (let draw = 0; draw < draws; draw++) {
          const decision = fitDecision(subsample(validation, rows, 1000 + draw), { kappa, budget });
          const { macroF1, falseAlarmRate } = measure(test, { threshold: decision });
          f1 += macroF1 / draws;
          falseAlarms += (falseAlarmRate ?? 0) / draws;
        }
        return `${(100 * f1).toFixed(1)} (${(100 * falseAlarms).toFixed(1)})`;
      });
      console.log(`| ${name} | ${rows.toLocaleString('en-US')} | ${cells.join(' | ')} |`);
    }
  }
}
