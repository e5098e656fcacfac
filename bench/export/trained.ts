// A TResNet-S trained on digits and exported: validation mAP in every precision, and whether run and file give the same labels on the
// same photos, all on the CPU. Prints Markdown.
//   trained.js [PHOTOS [IMAGES]]      a folder, or a Parquet file with images inside; by default that of shared/data beside the project

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  exportOnnx,
  type ImageInput,
  imageInputs,
  openPredictor,
  type Prediction,
  readConfiguration,
  train,
} from 'anyclass';

const shared = resolve(import.meta.dirname, '../../../../shared/data/coco64/part-0.parquet');
const [photos = shared, most = '1000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));
const run = join(folder, 'run');
const out = (name: string) => join(folder, name, 'model.onnx');

// As in the demo, which takes a few minutes.
const configuration = await readConfiguration('quick', {
  set: {
    'data.digits.scenes': { train: 3200, validation: 1000, test: 1000 },
    network: { name: 'tresnet-s', inputSize: 32 },
    loss: { name: 'bce', beta: null, reduction: 'mean' },
    epochs: 6,
    device: 'cpu',
  },
});
await train(configuration, { run });

await exportOnnx(run, { out: out('float32') });
console.log(
  '| precision | images | mAP | float32 | difference, points | allowed |\n|---|---|---|---|---|---|',
);
for (const [precision, allowed] of [
  ['float16', 0.05],
  ['int8', 0.5],
] as const) {
  const { judgment } = await exportOnnx(run, { out: out(precision), precision });
  if (!judgment) throw new Error(`${precision} was not judged`);
  const { images, mAP, float32 } = judgment;
  const cells = [images, percent(mAP), percent(float32), percent(mAP - float32), allowed];
  console.log(`| ${[precision, ...cells].join(' | ')} |`);
}
await compareLabels(run, out('float32'));
rmSync(folder, { recursive: true });

async function compareLabels(...models: readonly [string, string]): Promise<void> {
  const [libtorch, onnx] = [await scored(models[0]), await scored(models[1])];
  let flips = 0;
  let flipsApart = 0;
  let largest = 0;
  for (const [i, mine] of onnx.predictions.entries()) {
    const reference = libtorch.predictions[i]!;
    for (const [j, name] of libtorch.classes.entries()) {
      const [a, b] = [mine.probabilities[j]!, reference.probabilities[j]!];
      largest = Math.max(largest, Math.abs(a - b));
      if (mine.labels.includes(name) === reference.labels.includes(name)) continue;
      flips++;
      if (Math.abs(b - (libtorch.thresholds[j] ?? 2)) >= 1e-4) flipsApart++;
    }
  }
  const labels = onnx.predictions.reduce((sum, prediction) => sum + prediction.labels.length, 0);
  console.log(
    `\n${onnx.predictions.length} photos, ${labels} labels: ${flips} differ between run and file, ${flipsApart} of them more than 1e-4 from ` +
      `their threshold; probabilities differ by ${largest.toExponential(1)} at most.`,
  );
  for (const [name, { rate, cpuRate }] of Object.entries({ libtorch, onnx }))
    console.log(
      `openPredictor, ${name}: ${rate.toFixed(1)} images/s, ${cpuRate.toFixed(1)} per second of CPU time`,
    );
}

async function scored(model: string) {
  using predictor = await openPredictor(model, { device: 'cpu' });
  const predictions: Prediction[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  for await (const prediction of predictor.predict(firstPhotos()))
    if (!('failure' in prediction)) predictions.push(prediction);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    predictions,
    classes: predictor.description.classes,
    thresholds: predictor.decision.thresholds,
    rate: predictions.length / seconds,
    cpuRate: predictions.length / ((user + system) / 1e6),
  };
}

async function* firstPhotos(): AsyncGenerator<ImageInput> {
  let count = 0;
  for await (const photo of imageInputs([photos])) {
    if (count++ === Number(most)) return;
    yield photo;
  }
}

function percent(share: number): string {
  return (100 * share).toFixed(2);
}
