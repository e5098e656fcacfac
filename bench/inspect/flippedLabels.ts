// How many of 20 flipped labels `inspect --run` has among its first 40 suspects: 600 scenes of digits, one label flipped in each of 20
// scenes, and a model trained on that table. Beside it, on the same numbers, how cleanlab ranks: the confidence in the given label,
// and confident learning (Northcutt, Jiang and Chuang, JAIR 2021).
//
//     node bench/dist/inspect/flippedLabels.js OUT SEEDS [--recipe scratch|pretrained] [--scenes 20000] [--epochs N] [--device cpu]
//
// SEEDS is a list such as 1,2. `scratch` trains on the 600 scenes alone; `pretrained` starts from a model of other scenes, whose
// digits other people wrote. Both are kept in OUT, so that a second call only ranks.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ConfigurationInput, inspectDataset, train } from 'anyclass';
import { readSummary, readTable, runPaths } from 'anyclass/runs';
import { confidentLearning, labelsOf, selfConfidence } from './peerRankings.js';
import { flippedScenes } from './scenes.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recipe: { type: 'string', default: 'pretrained' },
    scenes: { type: 'string', default: '20000' },
    epochs: { type: 'string' },
    device: { type: 'string', default: 'auto' },
  },
});
const [out, seeds] = positionals;
if (out === undefined || seeds === undefined) throw new Error('flippedLabels.js takes OUT and SEEDS');
const [flips, looked] = [20, 40];
const isPretrained = values.recipe === 'pretrained';
const shared = {
  network: { name: 'tresnet-s', inputSize: 64 },
  loss: { name: 'bce' },
  schedule: { name: 'cosine', every: 'step' },
  finalWeights: 'last',
  evaluation: { replicates: 0 },
  device: values.device,
} as const satisfies Partial<ConfigurationInput>;

const weights = isPretrained ? await pretrainedWeights() : undefined;
console.log(
  '| seed | mAP on test, labels as flipped | inspect | self-confidence | confident learning |\n|---|---|---|---|---|',
);
for (const seed of seeds.split(',').map(Number)) {
  const folder = join(out, `scenes-${seed}`);
  const { dataset, flipped } = await flippedScenes(folder, seed, flips);
  const run = join(folder, values.recipe);
  const data: ConfigurationInput['data'] = { dataset, channels: 1, mean: [0.056], std: [0.189] };
  if (!existsSync(join(run, 'summary.json'))) await train(tableRecipe(data), { run });
  const paths = runPaths(run);
  const scores = await Promise.all(
    ['validation', 'test'].map((split) => readTable(join(paths.scores, `${split}.csv`))),
  );
  const margins = await readTable(paths.margins);
  const { suspects } = await inspectDataset(dataset, { images: false, scores, margins });
  const labels = await labelsOf(dataset);
  const found = (names: readonly string[]) =>
    names.slice(0, looked).filter((name) => flipped.has(name)).length;
  const { test } = readSummary(paths);
  console.log(
    `| ${seed} | ${(100 * (test?.metrics.mAP ?? 0)).toFixed(1)} | ${found(
      suspects.map(({ name, class: className }) => `${name} ${className}`),
    )} | ${found(selfConfidence(scores, margins, labels))} | ${found(confidentLearning(scores, margins, labels))} |`,
  );
}
console.log(`\nof ${flips} flipped labels among the first ${looked}; recipe ${values.recipe}`);

/** The configuration of a run on the table of 600 scenes. */
function tableRecipe(data: ConfigurationInput['data']): ConfigurationInput {
  const epochs = Number(values.epochs ?? (isPretrained ? 10 : 60));
  const augmentation: ConfigurationInput['augmentation'] = {
    resizedCrop: { scale: [0.7, 1], ratio: [0.9, 1.1] },
    rotation: 8,
  };
  if (weights === undefined)
    return {
      ...shared,
      data,
      epochs,
      batchSize: 32,
      augmentation,
      optimizer: { name: 'adamw', rate: 0.002 },
    };
  return {
    ...shared,
    data,
    epochs,
    batchSize: 32,
    augmentation,
    network: { ...shared.network, weights, trunkRate: 0.1 },
    optimizer: { name: 'adamw', rate: 0.001 },
  };
}

/** A model of other scenes: those of the tables are drawn from MNIST's test images, these from its training images. */
async function pretrainedWeights(): Promise<string> {
  const run = join(out!, `pretrained-${values.scenes}`);
  if (!existsSync(join(run, 'summary.json'))) {
    const scenes = { train: Number(values.scenes), validation: 1000, test: 1000 };
    const { summary } = await train(
      {
        ...shared,
        data: { dataset: 'digits', digits: { seed: 99, scenes } },
        epochs: 8,
        batchSize: 64,
        optimizer: { name: 'adamw', rate: 0.002, weightDecay: 0.02 },
        margins: false,
      },
      { run },
    );
    console.log(
      `pretrained on ${values.scenes} other scenes: mAP ${(100 * (summary?.test?.metrics.mAP ?? 0)).toFixed(1)}\n`,
    );
  }
  return join(run, 'model.safetensors');
}
