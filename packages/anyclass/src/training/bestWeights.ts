// Keeps the best weights by each metric, with which the run is evaluated at the end.

import { join } from 'node:path';
import { type ModelInput, takesFeatures } from '../data/dataset/inputs.js';
import { defaultWindow } from '../data/dataset/reading/window.js';
import type { BestMetric } from '../events/bestMetric.js';
import { saveModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import type { ActiveRun } from './activeRun.js';
import { improvedMetrics, metricValue, type Validation } from './progress.js';
import { judgedNetwork, type Session } from './session.js';

/** Saves the weights if the epoch is the best so far by any metric. */
export function keepBestWeights(session: Session, { paths }: ActiveRun, validation: Validation): void {
  if (improvedIn(session, validation).length > 0)
    saveEpochWeights(session, paths, session.progress.epoch + 1);
}

/** Records an epoch in the session's progress. If it is the best by any metric, save its weights first. */
export function noteBest(session: Session, validation: Validation): void {
  const { configuration, progress } = session;
  const improved = improvedIn(session, validation);
  progress.epochsSinceBest = improved.includes(configuration.bestBy) ? 0 : progress.epochsSinceBest + 1;
  const epoch = progress.epoch + 1;
  const file = weightsFile(epoch);
  for (const metric of improved)
    progress.best[metric] = { epoch, value: metricValue(validation, metric)!, file };
}

function improvedIn({ configuration, progress }: Session, validation: Validation): BestMetric[] {
  const metrics: BestMetric[] = [...new Set([configuration.bestBy, ...configuration.checkpoints.best])];
  return improvedMetrics(validation, progress.best, metrics);
}

function weightsFile(epoch: number): string {
  return `weights-epoch-${String(epoch).padStart(4, '0')}.safetensors`;
}

/** Saves the current weights after an epoch; returns their file name in the checkpoint folder. */
export function saveEpochWeights(session: Session, paths: RunPaths, epoch: number): string {
  const { configuration, data } = session;
  const { classImportance, classes } = data.dataset;
  const file = weightsFile(epoch);
  saveModel(join(paths.checkpoints, file), {
    network: judgedNetwork(session),
    description: {
      classes,
      ...recordedInput(data.input),
      epoch,
      loss: configuration.loss.name,
      dataset: configuration.data.dataset,
      ...(classImportance && { classImportance }),
    },
  });
  return file;
}

/** The model's input with the current defaults spelled out, since a later version may change them. */
function recordedInput(input: ModelInput): ModelInput {
  if (takesFeatures(input)) return input;
  const { window = defaultWindow, frame = 'first' } = input;
  return { ...input, window, frame };
}
