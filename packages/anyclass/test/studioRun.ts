import type { ConfigurationInput } from '../src/configuration/schema.js';
import { trainRun } from '../src/training/trainRun.js';

/** A run of a few seconds with enough rows to promise something, for tests of what Studio does with scores and models. */
export const smallRun: ConfigurationInput = {
  data: { dataset: 'digits', digits: { scenes: { train: 48, validation: 240, test: 80 } } },
  network: { name: 'tresnet-s', inputSize: 16 },
  epochs: 1,
  batchSize: 16,
  finalWeights: 'last',
  device: 'cpu',
  threads: 1,
  evaluation: { replicates: 0 },
};

export async function trainSmallRun(folder: string, seed = 0): Promise<void> {
  await trainRun({ ...smallRun, seed }, { run: folder });
}
