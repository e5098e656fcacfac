// Turns probabilities into labels at a false-alarm rate you can afford: fitted on the validation split,
// evaluated on the test split.
//
//   node examples/dist/chooseThresholds.js runs/sewer 0.02

import { describeFalseAlarms, fitDecision, measure } from '@anyclass/core';
import { runScores } from 'anyclass';

const [run = 'runs/demo/any-bce', budget = '0.05'] = process.argv.slice(2);

const decision = fitDecision(await runScores(run, 'validation'), { budget: { falseAlarms: Number(budget) } });
const { macroF1, falseAlarmRate } = measure(await runScores(run, 'test'), { threshold: decision });

console.log(`false alarms: ${describeFalseAlarms(decision)}`);
for (const remark of decision.report.remarks) console.log(remark);
for (const [j, name] of decision.classNames.entries()) {
  console.log(`  ${name}: ${decision.thresholds[j]?.toFixed(3) ?? 'never predicted'}`);
}
console.log(`test: F1 ${percent(macroF1)}, false alarms ${percent(falseAlarmRate ?? Number.NaN)}`);

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
