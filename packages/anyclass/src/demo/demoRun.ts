// One run of the demo: started, resumed, or read if it is already finished.

import { join } from 'node:path';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { RunEventListener } from '../events/runEvent.js';
import { runState } from '../experiments/runState.js';
import { type RunScores, runScores } from '../runs/runScores.js';
import { resumeAndReport, trainAndReport } from '../workflows/trainAndReport.js';

export type DemoLoss = 'bce' | 'any-bce';

export interface DemoOptions {
  readonly seed: number;
  readonly epochs: number;
  /** Folder for both runs. */
  readonly out: string;
  /** Number of scenes of handwritten digits in each split. */
  readonly scenes?: { readonly train: number; readonly validation: number; readonly test: number };
  readonly onEvent?: RunEventListener | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DemoModel {
  readonly loss: DemoLoss;
  readonly folder: string;
  readonly validation: RunScores;
  readonly test: RunScores;
}

/** Returns the model of a loss, with everything else the same; undefined if training was interrupted. */
export async function demoModel(loss: DemoLoss, options: DemoOptions): Promise<DemoModel | undefined> {
  const { onEvent, signal } = options;
  const configuration = demoConfiguration(loss, options);
  const folder = join(options.out, loss);
  const state = runState({ name: loss, folder, configuration });
  if (state === 'finished') onEvent?.({ type: 'note', text: `${loss}: already trained in ${folder}` });
  else {
    onEvent?.({ type: 'note', text: `Training with ${loss}` });
    const { summary } =
      state === 'absent'
        ? await trainAndReport(configuration, { run: folder, onEvent, signal })
        : await resumeAndReport(folder, { onEvent, signal });
    if (!summary) return undefined;
  }
  const [validation, test] = [await runScores(folder, 'validation'), await runScores(folder, 'test')];
  return { loss, folder, validation, test };
}

function demoConfiguration(loss: DemoLoss, { seed, epochs, scenes }: DemoOptions): Configuration {
  return validateConfiguration({
    data: {
      dataset: 'digits',
      digits: { scenes: scenes ?? { train: 3200, validation: 1000, test: 4000 } },
    },
    network: { name: 'tresnet-s', inputSize: 32 },
    // Without class balancing, which costs both losses several points here (docs/digits.md).
    loss: { name: loss, lambda: 0.02, beta: null, reduction: 'mean' },
    epochs,
    batchSize: 64,
    optimizer: { name: 'adamw', rate: 0.002 },
    schedule: { name: 'cosine', every: 'step', warmUpEpochs: Math.min(1, epochs - 1) },
    // Validation then chooses no epoch, so that the gate's promise holds as it stands.
    finalWeights: 'last',
    seed,
  });
}
