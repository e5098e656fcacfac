// Run folders as training writes them, without training: for benchmarks of Studio.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, NumpyRandom } from '@anyclass/core';
import { validateConfiguration } from 'anyclass/configuration';

const classNames = Array.from({ length: 17 }, (_, j) => `class ${j}`);

/** Writes finished runs with 17 classes, of which every five differ in their seed alone. */
export function writeRuns(folder: string, runs: number, epochs: number): void {
  const random = new NumpyRandom(0);
  const rows = 400;
  const targets = Array.from({ length: rows * 17 }, () => Number(random.random() < 0.06));
  const scores = Float64Array.from(targets, (target) => (target + random.random()) / 2);
  const validation = measure({ scores, targets, classNames });
  for (let run = 0; run < runs; run++) {
    const at = join(folder, `sweep-${Math.floor(run / 100)}`, `run-${String(run).padStart(4, '0')}`);
    mkdirSync(join(at, 'checkpoints'), { recursive: true });
    const rate = 0.001 * (1 + Math.floor(run / 5));
    const configuration = validateConfiguration({
      data: { dataset: 'digits' },
      seed: run % 5,
      epochs,
      optimizer: { rate },
    });
    const started = new Date(Date.UTC(2026, 0, 1) + 60_000 * run).toISOString();
    writeFileSync(
      join(at, 'config.json'),
      JSON.stringify(
        { configuration, versions: { anyclass: '0' }, classes: classNames, datasetFingerprint: 'x', started },
        null,
        2,
      ),
    );
    writeLogs(at, epochs, run, validation, started);
    const decided = {
      budget: { falseAlarms: 0.05 },
      validation: { ...validation, macroF1: 0.3 + 0.0001 * run },
    };
    const summary = {
      bestEpoch: epochs,
      bestBy: 'mAP',
      validation: { metrics: validation },
      test: { metrics: validation, decided },
    };
    writeFileSync(join(at, 'summary.json'), JSON.stringify(summary, null, 2));
  }
}

function writeLogs(folder: string, epochs: number, run: number, validation: object, started: string): void {
  const [metrics, events]: [string[], string[]] = [[], []];
  const log = (event: object) => events.push(JSON.stringify({ time: started, ...event }));
  log({
    type: 'started',
    run: folder,
    dataset: 'digits',
    network: 'tresnet-s',
    loss: 'bce',
    device: 'cpu',
    precision: 'float32',
    epochs,
  });
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const loss = Math.exp(-epoch / 30) + 0.001 * run;
    const record = {
      epoch,
      rate: 0.001,
      trainingLoss: loss,
      validationLoss: loss,
      validationBce: loss,
      validation: { ...validation, mAP: 1 - Math.exp(-epoch / 30) },
      seconds: 60,
      imagesPerSecond: 400,
      dataWaitShare: 0.1,
      quarantined: 0,
    };
    const step = {
      type: 'step',
      epoch,
      epochs,
      step: 100,
      steps: 100,
      images: 6400,
      imagesPerEpoch: 6400,
      unit: 'images',
      loss,
      rate: 0.001,
      imagesPerSecond: 400,
      secondsLeft: 1,
      dataWaitShare: 0.1,
    };
    log(step);
    log({ type: 'validated', epochs, record });
    metrics.push(JSON.stringify(record));
  }
  log({ type: 'finished', run: folder });
  writeFileSync(join(folder, 'metrics.jsonl'), `${metrics.join('\n')}\n`);
  writeFileSync(join(folder, 'events.jsonl'), `${events.join('\n')}\n`);
}
