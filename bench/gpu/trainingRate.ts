// Whether complete training keeps a GPU as busy as the bare step: TResNet-L at 224 px from the prepared cache, through `train`,
// against the same step on one batch that is already on the GPU; and the time to the first step.
//
//   node bench/dist/gpu/trainingRate.js [IMAGES]

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captureStep, cudaSynchronize, emptyCudaCache, keep, randn, tidy } from '@anyclass/torch';
import { type ConfigurationInput, runDisplay, train } from 'anyclass';
import { openDataset, prepareCache } from 'anyclass/data';
import { readEpochs } from 'anyclass/runs';
import { targets, trainer } from '../networks/step.js';

const images = Number(process.argv[2] ?? 10_240);
const batchSize = 256;
const files = 512;
const folder = mkdtempSync(join(tmpdir(), 'anyclass-rate-'));
const peer = fileURLToPath(new URL('../../data/pillow_peer.py', import.meta.url));

try {
  await prepare();
  for (const [augmentation, cudnnBenchmark] of [
    ['none', true],
    ['photograph', true],
    ['crops', true],
    ['crops', false],
  ] as const) {
    const { rate, wait, firstStep } = await trained(augmentation, cudnnBenchmark);
    const choice = cudnnBenchmark ? 'measured' : 'chosen by rules';
    console.log(
      `training from the cache, augmentation '${augmentation}', algorithms ${choice}: ${Math.round(rate)} images/s`,
    );
    console.log(
      `  waiting for images ${(100 * wait).toFixed(1)}%, first step after ${firstStep.toFixed(1)} s`,
    );
  }
  emptyCudaCache();
  console.log(`the bare step on one batch: ${Math.round(bareRate())} images/s`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Photographs of 640x480 under the requested number of names, decoded once into the cache. */
async function prepare(): Promise<void> {
  mkdirSync(join(folder, 'images'));
  const python = process.env['PYTHON'] ?? 'python3';
  execFileSync(python, [peer, 'make', join(folder, 'images'), `${files}`, '640', '480']);
  const split = (row: number) => (row < images ? 'train' : row % 2 ? 'validation' : 'test');
  const rows = Array.from({ length: images + 2 * batchSize }, (_, row) => {
    const file = join(folder, 'images', `${String(row % files).padStart(5, '0')}.jpg`);
    linkSync(file, join(folder, `${row}.jpg`));
    return `${row}.jpg,${split(row)},${+(row % 3 === 0)},${+(row % 5 === 0)}`;
  });
  writeFileSync(join(folder, 'labels.csv'), ['Filename,split,a,b', ...rows].join('\n'));
  const dataset = await openDataset(join(folder, 'labels.csv'), {
    imageFolder: folder,
    splitColumn: 'split',
  });
  await prepareCache(dataset, {
    format: { width: 224, height: 224, channels: 3 },
    folder: join(folder, 'cache'),
  });
  await dataset.images.close();
}

async function trained(augmentation: 'none' | 'photograph' | 'crops', cudnnBenchmark: boolean) {
  const run = join(folder, `${augmentation}-${cudnnBenchmark}`);
  const configuration: ConfigurationInput = {
    data: {
      dataset: join(folder, 'labels.csv'),
      imageFolder: folder,
      columns: { split: 'split' },
      cache: join(folder, 'cache'),
    },
    network: { name: 'tresnet-l', inputSize: 224 },
    optimizer: { name: 'sgd', rate: 0.01 },
    batchSize,
    epochs: 3,
    augmentation,
    cudnnBenchmark,
    evaluation: { replicates: 0 },
  };
  const started = performance.now();
  let firstStep = Number.NaN;
  const show = runDisplay(process.stderr);
  await train(configuration, {
    run,
    onEvent(event) {
      if (event.type === 'step' && event.step > 0 && Number.isNaN(firstStep))
        firstStep = (performance.now() - started) / 1000;
      show(event);
    },
  });
  const { imagesPerSecond, dataWaitShare } = readEpochs(join(run, 'metrics.jsonl')).at(-1)!;
  return { rate: imagesPerSecond, wait: dataWaitShare, firstStep };
}

function bareRate(): number {
  const device = 'cuda';
  const { step } = trainer('tresnet-l', { device, inputSize: 224, mixedPrecision: true });
  const captured = captureStep((x, y) => step(x!, y!));
  const x = keep(
    tidy(() => randn([batchSize, 3, 224, 224], { device }).to({ memoryFormat: 'channelsLast' })),
  );
  const y = keep(tidy(() => targets(batchSize).to(device)));
  const run = (steps: number) => {
    const start = performance.now();
    for (let i = 0; i < steps; i++) tidy(() => void captured(x, y));
    cudaSynchronize();
    return (steps * batchSize * 1000) / (performance.now() - start);
  };
  run(8);
  return run(images / batchSize);
}
