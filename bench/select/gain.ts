// What choosing images to label is worth: labels 500, 1,000 and 2,000 images of coco64 for its ten animals, chosen at random and as
// `anyclass select` chooses, trains the same small network on each, and prints the difference on the same test images.
//
//   node bench/dist/select/gain.js coco64/part-1.parquet OUT [SEED]
//
// Images are described by gradients and colors (no network has seen them), and a perceptron with one hidden layer learns from these. Runs that
// are in OUT are not trained again, so that the work can be done seed by seed; without SEED, the table of all is printed.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NumpyRandom, nearestToGate, poolFactor, spreadRows } from '@anyclass/core';
import { embed, openPredictor, train as trainRun } from 'anyclass';
import { openDataset } from 'anyclass/data';
import { describeImages, descriptorWidth } from './descriptors.js';
import { readNpy, writeNpy } from './npy.js';

const sizes = [500, 1000, 2000];
const start = 250;
const [poolSize, validationSize, testSize] = [6000, 1000, 3000];

const [dataset = '', out = '', seedText] = process.argv.slice(2);
if (dataset === '' || out === '') throw new Error('usage: gain.js DATASET OUT [SEED]');
const folder = resolve(out);
const features = join(folder, 'features.npy');
mkdirSync(folder, { recursive: true });
if (!existsSync(features)) await writeFeatures();
if (seedText === undefined) printTable();
else await simulate(Number(seedText));

/** The first rows are the pool, then validation, then test. */
async function writeFeatures(): Promise<void> {
  const data = await openDataset(dataset, { keep: ['coco-animals'] });
  const rows = shuffledRows(data.names.length, 42).slice(0, poolSize + validationSize + testSize);
  const values = await describeImages(rows, (row) => data.images.read(row));
  const lines = rows.map(
    (row, i) => `${i},${data.classes.map((_, j) => Number(data.labels.isPresent(row, j))).join(',')}`,
  );
  writeFileSync(join(folder, 'features.csv'), `name,${data.classes.join(',')}\n${lines.join('\n')}\n`);
  writeNpy(features, values, rows.length, descriptorWidth);
}

async function simulate(seed: number): Promise<void> {
  const first = shuffledRows(poolSize, seed).slice(0, start);
  const begun = await train(`start-${seed}`, first, seed);
  for (const arm of ['random', 'select'] as const) {
    let labeled = first;
    let model = begun;
    for (const size of sizes) {
      const isLabeled = new Set(labeled);
      const left = shuffledRows(poolSize, 1000 * seed + size).filter((row) => !isLabeled.has(row));
      const wanted = size - labeled.length;
      const chosen = arm === 'random' ? left.slice(0, wanted) : await select(model, left, wanted, seed);
      labeled = [...labeled, ...chosen];
      model = await train(`${arm}-${size}-${seed}`, labeled, seed);
    }
  }
}

async function select(
  model: string,
  left: readonly number[],
  wanted: number,
  seed: number,
): Promise<number[]> {
  const { values } = readNpy(features);
  using predictor = await openPredictor(model, { device: 'cpu' });
  const vectors = left.map((row) => ({
    name: String(row),
    features: values.subarray(row * descriptorWidth, (row + 1) * descriptorWidth),
  }));
  const presence = new Float64Array(left.length);
  let at = 0;
  for await (const prediction of predictor.predict(vectors))
    presence[at++] = 'failure' in prediction ? 0 : prediction.presenceScore;
  const pool = nearestToGate(presence, predictor.decision.presence, poolFactor * wanted);
  const file = join(model, 'embedded.npy');
  if (!existsSync(file)) await embed(model, features, { out: file, device: 'cpu' });
  const embedded = readNpy(file);
  const near = new Float32Array(pool.length * embedded.width);
  pool.forEach((i, place) => {
    const own = embedded.values.slice(left[i]! * embedded.width, (left[i]! + 1) * embedded.width);
    const length = Math.hypot(...own) || 1;
    near.set(
      own.map((value) => value / length),
      place * embedded.width,
    );
  });
  return spreadRows(near, embedded.width, wanted, seed).map((place) => left[pool[place]!]!);
}

async function train(name: string, rows: readonly number[], seed: number): Promise<string> {
  const run = join(folder, name);
  if (existsSync(join(run, 'summary.json'))) return run;
  const splits = join(folder, 'splits', name);
  mkdirSync(splits, { recursive: true });
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  const write = (split: string, list: readonly number[]) =>
    writeFileSync(join(splits, `${split}.txt`), `${list.join('\n')}\n`);
  write('train', rows);
  write('validation', range(poolSize, validationSize));
  write('test', range(poolSize + validationSize, testSize));
  await trainRun(
    {
      data: { dataset: features, splitFolder: splits },
      network: { name: 'mlp' },
      epochs: Math.round(20_000 / rows.length),
      batchSize: 64,
      seed,
      device: 'cpu',
      evaluation: { replicates: 0 },
    },
    { run },
  );
  return run;
}

function printTable(): void {
  const metric = (name: string): number | undefined => {
    const path = join(folder, name, 'summary.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).test.metrics.mAP : undefined;
  };
  const seeds = readdirSync(folder).flatMap((name) => /^select-2000-(\d+)$/.exec(name)?.[1] ?? []);
  console.log(`mAP on test, %, mean of ${seeds.length} seeds`);
  for (const size of sizes) {
    const pairs = seeds.map((seed) => [
      metric(`random-${size}-${seed}`) ?? 0,
      metric(`select-${size}-${seed}`) ?? 0,
    ]);
    const gains = pairs.map(([random = 0, chosen = 0]) => 100 * (chosen - random));
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
    const gain = mean(gains);
    const error = Math.sqrt(mean(gains.map((value) => (value - gain) ** 2)) / Math.max(1, gains.length - 1));
    console.log(
      `${size} labels: random ${(100 * mean(pairs.map(([random = 0]) => random))).toFixed(2)}, select ${(100 * mean(pairs.map(([, chosen = 0]) => chosen))).toFixed(2)}, gain ${gain.toFixed(2)} ± ${error.toFixed(2)}`,
    );
  }
}

function shuffledRows(count: number, seed: number): number[] {
  return Array.from(new NumpyRandom(seed).permutation(count));
}
