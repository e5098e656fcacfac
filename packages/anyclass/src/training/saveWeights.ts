import { join } from 'node:path';
import { saveModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import { judgedNetwork, type Session } from './session.js';

/** Saves the weights as they are after an epoch, for the run to be judged by; the name of their file among the checkpoints. */
export function saveWeights(session: Session, paths: RunPaths, epoch: number): string {
  const { configuration, data } = session;
  const { channels, mean, std } = data.preparation;
  const { classImportance, classes } = data.dataset;
  const file = `weights-epoch-${String(epoch).padStart(4, '0')}.safetensors`;
  saveModel(join(paths.checkpoints, file), {
    network: judgedNetwork(session),
    description: {
      classes,
      channels,
      mean,
      std,
      epoch,
      loss: configuration.loss.name,
      dataset: configuration.data.dataset,
      ...(classImportance && { classImportance }),
    },
  });
  return file;
}
