// The main job in small: trains the same network twice on the embedded dataset of handwritten digits, with the usual loss
// and with the any-class loss, and compares them on the test images. Nothing is downloaded. About 3 minutes on two cores.
//
//   npm run demo            or, with another seed: node examples/dist/demo.js 2

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type OverallFigure, pairedBootstrap, type Scored } from '@anyclass/core';
import { type ConfigurationInput, runDisplay, runScores, train } from 'anyclass';

const seed = Number(process.argv[2] ?? 1);
const folder = join('runs', 'demo');
const figures = [
  ['macroF1', 'F1'],
  ['macroF2', 'F2'],
  ['mAP', 'mAP'],
  ['f1Neg', 'F1-Neg'],
] as const satisfies readonly (readonly [OverallFigure, string])[];

const bce = await trained('bce');
const anyBce = await trained('any-bce');
const { overall } = pairedBootstrap(bce, anyBce, { seed: 1 });

const row = (title: string, cells: readonly string[]) =>
  title.padEnd(12) + cells.map((cell) => cell.padStart(24)).join('');
const percent = (share: number) => (100 * share).toFixed(2);
const differences = figures.map(([name]) => overall[name]!);
console.log(
  `\n${row(
    'test, %',
    figures.map(([, title]) => title),
  )}`,
);
console.log(
  row(
    'bce',
    differences.map(({ first }) => percent(first)),
  ),
);
console.log(
  row(
    'any-bce',
    differences.map(({ second }) => percent(second)),
  ),
);
console.log(
  row(
    'difference',
    differences.map(({ value, low, high }) => `${percent(value)} (${percent(low)} to ${percent(high)})`),
  ),
);
console.log('\nIn brackets: 95% intervals of a paired bootstrap over the test images.');
for (const [i, [, title]] of figures.entries()) {
  const { low, high } = differences[i]!;
  const verdict = low > 0 ? 'any-bce is better' : high < 0 ? 'bce is better' : 'no difference can be told';
  console.log(`${title}: ${verdict}.`);
}
console.log(`\nReports: ${join(folder, 'bce', 'report.html')} and ${join(folder, 'any-bce', 'report.html')}`);

/** Trains with a loss, everything else the same, and gives the scores on the test images. */
async function trained(loss: 'bce' | 'any-bce'): Promise<Scored> {
  const configuration: ConfigurationInput = {
    data: { dataset: 'digits', digits: { scenes: { train: 3200, validation: 1000, test: 4000 } } },
    network: { name: 'tresnet-s', inputSize: 32 },
    loss: { name: loss },
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
  return runScores(run, 'test');
}
