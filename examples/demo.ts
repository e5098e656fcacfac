// The main job in small: trains the same network twice on the embedded dataset of handwritten digits, with the strongest standard
// loss and with the any-class term added to it. Both are judged on the test images: at a threshold of 0.5, and with a decision
// that keeps false alarms at 5%. Nothing is downloaded. About 3 minutes on two cores.
//
//   npm run demo            or, with another seed: node examples/dist/demo.js 2

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  bootstrapDecisions,
  type Difference,
  describeFalseAlarms,
  fitDecision,
  measure,
  pairedBootstrap,
  type Scored,
  seedDifference,
} from '@anyclass/core';
import { type ConfigurationInput, runDisplay, runScores, train } from 'anyclass';

const seed = Number(process.argv[2] ?? 1);
const folder = join('runs', 'demo');
/** A presence gate and a threshold per class: the best F1 with at most 5% false alarms, guaranteed with 95% confidence. */
const gate = { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 } } as const;
const atHalf = { rule: 'fixed' } as const;

const bce = await trained('bce');
const anyBce = await trained('any-bce');
const models = [bce, anyBce];

console.log(`\n${row('test scenes, %', ['F1', 'F1-Neg', 'false alarms', 'mAP'], 16)}`);
for (const { loss, validation, test } of models) {
  const atGate = fitDecision(validation, gate);
  for (const [where, threshold] of [
    ['at 0.5', 0.5],
    ['gate', atGate],
  ] as const) {
    const { macroF1, f1Neg, falseAlarmRate, mAP } = measure(test, { threshold });
    console.log(row(`${loss}, ${where}`, [macroF1, f1Neg, falseAlarmRate, mAP].map(percent), 16));
  }
}
console.log(
  '\nThe gate is fitted on validation: labels only where the presence of any class is likely enough.',
);
for (const { loss, validation } of models)
  console.log(`  ${loss}: ${describeFalseAlarms(fitDecision(validation, gate))}`);

// Each draw takes validation images anew, fits every decision on them, and judges it on test images drawn anew.
const decided = models.flatMap((model) => [atHalf, gate].map((decision) => ({ ...model, decision })));
const [bceHalf, bceGate, anyHalf, anyGate] = bootstrapDecisions(decided, { seconds: 10, seed: 1 });
const atSamePrice = seedDifference(bceGate!, anyGate!);
const atSameThreshold = seedDifference(bceHalf!, anyHalf!);
const byGate = seedDifference(bceHalf!, bceGate!);
console.log(
  `\nDifferences in points, with 95% intervals of a paired bootstrap (${bceGate!.replicates.length} draws):`,
);
console.log(row('', ['F1', 'false alarms']));
for (const [title, difference] of [
  ['any-bce − bce, gate', atSamePrice],
  ['any-bce − bce, at 0.5', atSameThreshold],
  ['gate − 0.5, bce', byGate],
] as const) {
  console.log(row(title, [points(difference.macroF1), points(difference.falseAlarmRate)]));
}
const { mAP } = pairedBootstrap(bce.test, anyBce.test, { seed: 1 }).overall;
console.log(`any-bce − bce, mAP: ${points(mAP)}`);

console.log(`\nThe any-class term, at the same false alarms: ${verdict(atSamePrice)}.`);
console.log(`The any-class term, at a threshold of 0.5: ${verdict(atSameThreshold)}.`);
console.log(`The gate in place of a threshold of 0.5: ${verdict(byGate)}.`);
console.log(`\nReports: ${models.map(({ loss }) => join(folder, loss, 'report.html')).join(' and ')}`);
console.log('Your own data: npx anyclass recommend DATA --minutes 30 finds out what helps there.');

/** Trains with a loss, everything else the same, and gives its scores. */
async function trained(loss: 'bce' | 'any-bce'): Promise<{ loss: string; validation: Scored; test: Scored }> {
  const configuration: ConfigurationInput = {
    data: { dataset: 'digits', digits: { scenes: { train: 3200, validation: 1000, test: 4000 } } },
    network: { name: 'tresnet-s', inputSize: 32 },
    // Class balancing is left out: it costs both losses several points here (docs/digits.md).
    loss: { name: loss, lambda: 0.02, beta: null, reduction: 'mean' },
    epochs: 6,
    batchSize: 64,
    optimizer: { name: 'adamw', rate: 0.002 },
    schedule: { name: 'cosine', warmUpEpochs: 1 },
    seed,
  };
  const run = join(folder, loss);
  rmSync(run, { recursive: true, force: true });
  console.log(`\nTraining with ${loss}`);
  await train(configuration, { run, onEvent: runDisplay(process.stderr) });
  return { loss, validation: await runScores(run, 'validation'), test: await runScores(run, 'test') };
}

type Differences = ReturnType<typeof seedDifference>;

/** What holds, and its price. */
function verdict({ macroF1, falseAlarmRate }: Differences): string {
  const [f1, alarms] = [change(macroF1), change(falseAlarmRate)];
  if (f1 === undefined) return 'no difference in F1 can be told from chance';
  return `F1 ${f1}${alarms === undefined ? '' : `, false alarms ${alarms}`}`;
}

function change(difference: Difference | null): string | undefined {
  if (!difference || (difference.low <= 0 && difference.high >= 0)) return undefined;
  const { value } = difference;
  return `${value > 0 ? 'higher' : 'lower'} by ${Math.abs(100 * value).toFixed(1)} points`;
}

function row(title: string, cells: readonly string[], width = 24): string {
  return title.padEnd(width) + cells.map((cell) => cell.padStart(width)).join('');
}

function percent(share: number | null): string {
  return share === null ? '–' : (100 * share).toFixed(2);
}

function points(difference: Difference | null): string {
  if (!difference) return '–';
  const { value, low, high } = difference;
  return `${value > 0 ? '+' : ''}${percent(value)} (${percent(low)} to ${percent(high)})`;
}
