// Computes the gradient of a run's first batch together with the processes that were started with this one
// (needs a build). The first rank writes the loss, the largest logit, and the running statistics to FILE, and
// the gradient to FILE.gradient, as float32. Fails if the ranks' gradients differ.
//
//   node packages/anyclass/test/rankGradients.mjs FILE NETWORK ACCUMULATION float64|float32 cpu|cuda

import { writeFileSync } from 'node:fs';
import { noGrad, randn, setSeed, tidy } from '@anyclass/torch';
import { validateConfiguration } from '../dist/configuration/validate.js';
import { deviceBatch } from '../dist/data/batches/deviceBatch.js';
import { gatherFloats } from '../dist/distribution/exchange.js';
import { joinRanks } from '../dist/distribution/ranks.js';
import { openRunData } from '../dist/training/dataForRun.js';
import { gradientComputation } from '../dist/training/gradients.js';
import { setTrainingMode } from '../dist/training/optimizer.js';
import { createSession } from '../dist/training/session.js';

const [file = '', name = 'tresnet-s', accumulation = '1', type = 'float64', device = 'cpu'] =
  process.argv.slice(2);
const configuration = validateConfiguration({
  data: { dataset: 'digits', digits: { scenes: { train: 64, validation: 16, test: 16 } } },
  network: { name, inputSize: 32 },
  loss: { name: 'any-focal', beta: 0.99, reduction: 'batch' },
  batchSize: 12,
  accumulation: Number(accumulation),
  device,
  precision: 'float32',
});
const ranks = await joinRanks();
const data = await openRunData(configuration);
const session = createSession(configuration, data, { ranks });
const { network, optimizer, scaler, loss, settings, loader, augmentation } = session;
// A head of zeros, with which the transformers start, would keep every other gradient at zero.
setSeed(1);
noGrad(() => {
  for (const parameter of network.parameters())
    if (parameter.shape.length > 1 && parameter.abs().sum().toNumber() === 0)
      parameter.add_(randn(parameter.shape).mul(0.02).to(parameter.device));
});
if (type === 'float64') network.to('float64');
setTrainingMode(network, 'everything');
const compute = gradientComputation({
  network,
  optimizer,
  scaler,
  loss,
  settings,
  batchSize: 12,
  accumulation: Number(accumulation),
  clipNorm: null,
  ranks,
});
for await (const batch of loader.epoch(0)) {
  const { mean, std } = data.preparation;
  const { format } = data.inputs;
  if (!('width' in format)) throw new Error('digits are images');
  const metrics = tidy(() => {
    const { inputs: images, targets } = deviceBatch(batch, {
      format,
      device: settings.device,
      mean,
      std,
      augmentation,
      seed: 0,
    });
    const { loss, largestLogit } = compute(type === 'float64' ? images.to('float64') : images, targets);
    return [loss.toNumber(), largestLogit.toNumber()];
  });
  const gradient = joined(network.parameters().map((parameter) => parameter.grad?.toFloat32Array()));
  const statistics = Float32Array.from(
    [...network.stateDict()].flatMap(([key, tensor]) =>
      /running/.test(key) ? [...tensor.toFloat32Array()] : [],
    ),
  );
  if (!ranks || ranks.isFirst) writeFileSync(file, Float32Array.of(...metrics, ...statistics));
  if (!ranks || ranks.isFirst) writeFileSync(`${file}.gradient`, gradient);
  // Every rank must have the same bits.
  const sums = ranks ? await gatherFloats(ranks, Float32Array.of(gradient.reduce((a, b) => a + b, 0))) : [];
  if (new Set(sums).size > 1) throw new Error(`the ranks' gradients differ: ${[...sums]}`);
  break;
}
await data.close();

/** @param {(Float32Array | undefined)[]} parts */
function joined(parts) {
  const values = new Float32Array(parts.reduce((sum, part) => sum + (part?.length ?? 0), 0));
  let at = 0;
  for (const part of parts) {
    if (part) values.set(part, at);
    at += part?.length ?? 0;
  }
  return values;
}
