// Compares two models by their saved scores; where the scores come from does not matter, and libtorch is not
// loaded.
//
//   node examples/dist/evaluateScores.js first.csv second.csv labels.csv

import { pairedBootstrap } from '@anyclass/core';
import { judge, judgmentText } from 'anyclass/reports';
import { joinTables, readTable } from 'anyclass/runs';

const [firstFile = 'first.csv', secondFile = 'second.csv', labelFile = 'labels.csv'] = process.argv.slice(2);
const labels = await readTable(labelFile);
const first = joinTables(await readTable(firstFile), labels, firstFile);
const second = joinTables(await readTable(secondFile), labels, secondFile);

for (const scored of [first, second]) console.log(judgmentText(judge(scored, { replicates: 200 })), '\n');

const { overall } = pairedBootstrap(first, second);
for (const metric of ['macroF1', 'macroF2', 'mAP', 'f1Neg'] as const) {
  const difference = overall[metric];
  if (!difference) continue;
  const [value, low, high] = [difference.value, difference.low, difference.high].map((share) =>
    (100 * share).toFixed(2),
  );
  console.log(`${metric}: second minus first ${value} points (95% interval ${low} to ${high})`);
}
