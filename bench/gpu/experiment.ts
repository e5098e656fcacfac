// The paper's effect at small scale: TResNet-M at 64 px on the 110,000 images of coco64, bce against any|bce, for the
// labels of COCO-41 and of COCO-animals, three seeds. Split, epochs, rates and augmentation are those of the
// figures in bench/RESULTS.md that PyTorch reached.
//
//   node bench/dist/gpu/experiment.js DATA OUT [OPTIONS of anyclass compare]      (DATA holds coco64/part-*.parquet)

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NumpyRandom } from '@anyclass/core';
import { readEpochs } from 'anyclass';
import { openDataset, type Splits, saveSplits } from 'anyclass/data';

const [folder = 'data', out = 'experiment', ...options] = process.argv.slice(2);
const data = join(resolve(folder), 'coco64', 'part-*.parquet');
const anyclass = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));

mkdirSync(out, { recursive: true });
await savePermutedSplits();
writeFileSync(join(out, 'base.json'), JSON.stringify(configuration()));
const started = performance.now();
const labels = ['@keep=["coco-41"]', '@keep=["coco-animals"]@loss.lambda=0.2'];
const { status } = spawnSync(
  process.execPath,
  [
    ...[anyclass, 'compare', join(out, 'base.json'), '--losses', 'bce,any-bce', '--seeds', '1,2,3'],
    ...labels.flatMap((variant) => ['--datasets', variant]),
    ...['--out', join(out, 'runs'), '--jobs', '4', ...options],
  ],
  { stdio: 'inherit' },
);
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s for everything`);
for (const run of readdirSync(join(out, 'runs'))) {
  const epochs = readEpochs(join(out, 'runs', run, 'metrics.jsonl'));
  const seconds = epochs.map((epoch) => epoch.seconds).toSorted((a, b) => a - b);
  if (epochs.length > 0)
    console.log(
      `${run}: ${seconds[seconds.length >> 1]?.toFixed(2)} s an epoch (median), ${seconds.at(-1)?.toFixed(1)} s the first`,
    );
}
process.exitCode = status ?? 1;

function configuration() {
  return {
    data: { dataset: data, splitFolder: resolve(out, 'splits'), cache: resolve(out, 'cache') },
    network: { name: 'tresnet-m', inputSize: 64 },
    loss: { alpha: 1, beta: 0.9999 },
    epochs: 10,
    batchSize: 256,
    optimizer: { name: 'sgd', rate: 0.1, momentum: 0.9, weightDecay: 1e-4 },
    // After half and three quarters of the epochs.
    schedule: { name: 'steps', milestones: [5, 7], factor: 0.01 },
    clipNorm: 1,
    augmentation: 'photograph',
    evaluation: { batchSize: 500, replicates: 0 },
  };
}

/** By numpy's RandomState(42).permutation over the names in their order. */
async function savePermutedSplits(): Promise<void> {
  const { names, images } = await openDataset(data, { draw: { method: 'random' } });
  const byName = Array.from({ length: names.length }, (_, row) => ({ row, name: names.at(row) }));
  byName.sort((a, b) => (a.name < b.name ? -1 : 1));
  const order = new NumpyRandom(42).permutation(names.length);
  const rows = Int32Array.from(order, (place) => byName[place]!.row);
  const [training, validation] = [Math.round(0.7 * names.length), Math.round(0.15 * names.length)];
  const splits: Splits = {
    train: rows.slice(0, training),
    validation: rows.slice(training, training + validation),
    test: rows.slice(training + validation),
  };
  await saveSplits(splits, names, join(out, 'splits'));
  await images.close();
}
