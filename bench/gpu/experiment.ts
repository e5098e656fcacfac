// The paper's effect at small scale: TResNet-M at 64 px on the 110,000 images of coco64, bce against any|bce, for the
// labels of COCO-41 and of COCO-animals. Split, epochs, rates and augmentation are those of the figures in
// bench/RESULTS.md that PyTorch reached.
//
//   node bench/dist/gpu/experiment.js 'coco64/part-*.parquet' OUT [field=value …]
//
// The data may travel in pieces: put the four Parquet files beside one another, the first call prepares a cache of them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NumpyRandom } from '@anyclass/core';
import { type EpochRecord, readConfiguration, readEpochs, standardTerminal, train } from 'anyclass';
import { type Dataset, openDataset, prepareCache, type Splits, saveSplits } from 'anyclass/data';

const [data = 'coco64/part-*.parquet', out = 'experiment', ...fields] = process.argv.slice(2);
const terminal = standardTerminal();
const experiments = [
  { labels: 'coco-41', loss: 'bce', lambda: 0.02 },
  { labels: 'coco-41', loss: 'any-bce', lambda: 0.02 },
  { labels: 'coco-animals', loss: 'bce', lambda: 0.2 },
  { labels: 'coco-animals', loss: 'any-bce', lambda: 0.2 },
] as const;

mkdirSync(out, { recursive: true });
await prepare();
writeFileSync(join(out, 'base.json'), JSON.stringify(base()));
const rows: Record<string, string | number>[] = [];
for (const { labels, loss, lambda } of experiments) {
  const configuration = await readConfiguration(join(out, 'base.json'), {
    set: [`data.keep=["${labels}"]`, `loss.name=${loss}`, `loss.lambda=${lambda}`, ...fields],
  });
  const { folder, summary } = await train(configuration, {
    run: join(out, `${labels}-${loss}`),
    log: terminal,
  });
  const metrics = summary?.test?.metrics;
  if (!metrics) throw new Error(`${folder}: the test split was not judged`);
  const percent = (share: number | null) => Number((100 * (share ?? Number.NaN)).toFixed(2));
  const epochs = readEpochs(join(folder, 'metrics.jsonl'));
  rows.push({
    labels,
    loss,
    F1: percent(metrics.macroF1),
    F2: percent(metrics.macroF2),
    mAP: percent(metrics.mAP),
    'F1-Neg': percent(metrics.f1Neg),
    'best epoch': summary.bestEpoch,
    's/epoch': Number(median(epochs.map(({ seconds }: EpochRecord) => seconds)).toFixed(2)),
    'images/s': Math.round(median(epochs.map(({ imagesPerSecond }: EpochRecord) => imagesPerSecond))),
  });
  console.table(rows);
}
writeFileSync(join(out, 'experiment.json'), JSON.stringify(rows, null, 2));

function base() {
  return {
    data: { dataset: data, splitFolder: join(out, 'splits'), cache: join(out, 'cache') },
    network: { name: 'tresnet-m', inputSize: 64 },
    loss: { alpha: 1, beta: 0.9999 },
    epochs: 10,
    batchSize: 256,
    optimizer: { name: 'sgd', rate: 0.1, momentum: 0.9, weightDecay: 1e-4 },
    // After half and three quarters of the epochs.
    schedule: { name: 'steps', milestones: [5, 7], factor: 0.01 },
    clipNorm: 1,
    augmentation: 'photograph',
    evaluation: { batchSize: 500, replicates: 200 },
  };
}

/** Decodes all images once, and splits them by numpy's RandomState(42).permutation over the names in their order. */
async function prepare(): Promise<void> {
  const dataset = await openDataset(data, { draw: { method: 'random' } });
  const bar = terminal.progress('preparing', dataset.names.length, 'images');
  let before = 0;
  await prepareCache(dataset, {
    format: { width: 64, height: 64, channels: 3 },
    folder: join(out, 'cache'),
    onProgress: (done) => {
      bar.advance(done - before);
      before = done;
    },
  });
  bar.finish();
  await saveSplits(permutedSplits(dataset), dataset.names, join(out, 'splits'));
  await dataset.images.close();
}

function permutedSplits({ names }: Dataset): Splits {
  const byName = Array.from({ length: names.length }, (_, row) => ({ row, name: names.at(row) }));
  byName.sort((a, b) => (a.name < b.name ? -1 : 1));
  const order = new NumpyRandom(42).permutation(names.length);
  const rows = Int32Array.from(order, (place) => byName[place]!.row);
  const [training, validation] = [Math.round(0.7 * names.length), Math.round(0.15 * names.length)];
  return {
    train: rows.slice(0, training),
    validation: rows.slice(training, training + validation),
    test: rows.slice(training + validation),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
