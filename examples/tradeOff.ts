// Shows what each false-alarm budget buys: decisions for budgets of 1% to 20%, fitted on the validation split
// and evaluated on the test split.
//
//   node examples/dist/tradeOff.js runs/sewer

import { judgedCurve } from '@anyclass/core';
import { runScores } from 'anyclass';

const [run = 'runs/demo/any-bce'] = process.argv.slice(2);

const budgets = [0.01, 0.02, 0.05, 0.1, 0.2].map((falseAlarms) => ({ falseAlarms }));
const points = judgedCurve(await runScores(run, 'validation'), await runScores(run, 'test'), budgets);
for (const [i, { metrics }] of points.entries()) {
  const { macroF1, falseAlarmRate } = metrics;
  const reached = `F1 ${(100 * macroF1).toFixed(1)} at ${(100 * (falseAlarmRate ?? Number.NaN)).toFixed(1)}% false alarms`;
  console.log(`budget ${100 * budgets[i]!.falseAlarms}%: ${reached}`);
}
