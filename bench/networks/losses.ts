// Checks that training follows PyTorch's: the losses of the first steps of TResNet-M at 64 px, from the same weights on the same
// batches (on a GPU captured, in bf16, with our own kernels).
//
//   node bench/dist/networks/losses.js OUT [cuda] && python3 bench/networks/losses.py OUT [cuda]

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureStep, randn, saveTensors, setSeed, tidy } from '@anyclass/torch';
import { targets, trainer } from './step.js';

const [out = 'losses', place] = process.argv.slice(2);
const device = place === 'cuda' ? 'cuda' : 'cpu';
const [batchSize, steps, inputSize] = [64, 24, 64];
const memoryFormat = device === 'cpu' ? 'contiguous' : 'channelsLast';

setSeed(1);
const { step } = trainer('tresnet-m', { device, inputSize, mixedPrecision: device === 'cuda' });
const captured = captureStep((x, y) => step(x!, y!));
const labels = targets(batchSize).to(device);
const batches = Array.from({ length: steps }, () => randn([batchSize, 3, inputSize, inputSize]));
const losses = batches.map((batch) =>
  tidy(() => captured(batch.to({ device, memoryFormat }), labels)[0]!.toNumber()),
);
mkdirSync(out, { recursive: true });
saveTensors(join(out, 'batches.safetensors'), new Map(batches.map((batch, i) => [`${i}`, batch])));
writeFileSync(join(out, 'losses.json'), JSON.stringify(losses));
