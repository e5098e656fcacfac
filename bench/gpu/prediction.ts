// TResNet-L at 224 px on a GPU from JPEG files (500 x 375): images per second of `predict` and `embed`, against the smaller of two limits
// measured in the same run: decoding alone, and the bare captured step.
//
//     bash bench/gpu/run.sh node bench/dist/gpu/prediction.js [IMAGES]

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCuda } from '@anyclass/torch';
import { embed, imageInputs, openPredictor } from 'anyclass';
import { createLoader, decodedPixels, openDataset } from 'anyclass/data';
import { photographOf } from '../serving/models.js';
import { bareRate } from './bareRate.js';

const count = Number(process.argv[2] ?? 16_384);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-prediction-'));
const images = join(folder, 'images');
const model = join(folder, 'tresnet-l.safetensors');
const table = join(folder, 'labels.csv');

if (!hasCuda()) console.log('skipped: no CUDA here');
else
  try {
    mkdirSync(images);
    const { pictureFile } = await photographOf(folder, 500, 375);
    const names = Array.from({ length: count }, (_, i) => `${String(i).padStart(6, '0')}.jpg`);
    for (const name of names) copyFileSync(pictureFile, join(images, name));
    writeFileSync(table, ['Filename,crack', ...names.map((name, i) => `images/${name},${i % 2}`)].join('\n'));
    const decoding = await decodingRate();
    console.log(`${count} JPEG files of 500 x 375; decoding alone ${decoding.toFixed(0)} images/s`);
    for (const batch of [32, 64, 128]) await measure(batch, decoding);
  } finally {
    rmSync(folder, { recursive: true });
  }

async function measure(batch: number, decoding: number): Promise<void> {
  const bare = bareRate(model, batch);
  const limit = Math.min(decoding, bare);
  const shown = (name: string, rate: number) => `${name} ${rate.toFixed(0)} (${(rate / limit).toFixed(2)})`;
  const predicted = await predictionRate(batch);
  const embedded = await embeddingRate(batch);
  console.log(
    `batch ${batch}: captured step ${bare.toFixed(0)} images/s; ${shown('predict', predicted)}, ${shown('embed', embedded)}; ` +
      'in parentheses the share of the smaller limit',
  );
}

async function decodingRate(): Promise<number> {
  const dataset = await openDataset(table);
  const format = { width: 224, height: 224, channels: 3 } as const;
  const loader = createLoader(dataset, decodedPixels(dataset.images, format), {
    rows: Int32Array.from({ length: count }, (_, i) => i),
    batchSize: 64,
    threads: 2 * availableParallelism(),
  });
  const start = performance.now();
  let seen = 0;
  for await (using batch of loader.epoch(0)) seen += batch.size;
  return (1000 * seen) / (performance.now() - start);
}

/** Without what opening and capturing take: from the fifth batch on. */
async function predictionRate(batch: number): Promise<number> {
  using predictor = await openPredictor(model, { device: 'cuda', batchSize: batch });
  const warm = 5 * batch;
  let seen = 0;
  let start = 0;
  for await (const _ of predictor.predict(imageInputs([images]))) {
    if (seen === warm) start = performance.now();
    seen += 1;
  }
  return (1000 * (seen - warm)) / (performance.now() - start);
}

async function embeddingRate(batch: number): Promise<number> {
  let [first, start, last, end] = [0, 0, 0, 0];
  await embed(model, table, {
    out: join(folder, 'features.parquet'),
    batchSize: batch,
    device: 'cuda',
    onEvent(event) {
      if (event.type !== 'progress') return;
      if (start === 0 && event.done >= 5 * batch) [first, start] = [event.done, performance.now()];
      [last, end] = [event.done, performance.now()];
    },
  });
  rmSync(join(folder, 'features.parquet'), { force: true });
  return (1000 * (last - first)) / (end - start);
}
