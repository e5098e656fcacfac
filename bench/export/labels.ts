// A run and its exported file on the same images, both on the CPU: labels that differ, and images a second of each. Prints JSON.

import { imageInputs, openPredictor, type Prediction } from 'anyclass';

const [run = '', file = '', ...paths] = process.argv.slice(2);
const sides = [await scored(run), await scored(file)] as const;
const [libtorch, onnx] = sides;
let flips = 0;
let flipsApart = 0;
let largestDifference = 0;
for (const [i, mine] of onnx.predictions.entries()) {
  const reference = libtorch.predictions[i]!;
  for (const [j, name] of libtorch.classes.entries()) {
    const [a, b] = [mine.probabilities[j]!, reference.probabilities[j]!];
    largestDifference = Math.max(largestDifference, Math.abs(a - b));
    if (mine.labels.includes(name) === reference.labels.includes(name)) continue;
    flips++;
    if (Math.abs(b - (libtorch.thresholds[j] ?? 2)) >= 1e-4) flipsApart++;
  }
}
console.log(
  JSON.stringify({
    images: onnx.predictions.length,
    labels: onnx.predictions.reduce((sum, { labels }) => sum + labels.length, 0),
    flips,
    flipsApart,
    largestDifference,
    imagesPerSecond: { libtorch: libtorch.rate, onnx: onnx.rate },
    imagesPerCpuSecond: { libtorch: libtorch.cpuRate, onnx: onnx.cpuRate },
  }),
);

async function scored(model: string) {
  using predictor = await openPredictor(model, { device: 'cpu' });
  const predictions: Prediction[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  for await (const prediction of predictor.predict(imageInputs(paths)))
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
