import type { ConfigurationInput } from '../src/configuration/schema.js';

export const tinyScenes = { train: 24, validation: 16, test: 16 };

/**
 * Two epochs of three steps on the CPU, where results are bit-identical; one thread,
 * since tests share the cores.
 */
export const tinyRun: ConfigurationInput = {
  data: { dataset: 'digits', digits: { scenes: tinyScenes } },
  network: { name: 'tresnet-s', inputSize: 16 },
  epochs: 2,
  batchSize: 8,
  device: 'cpu',
  threads: 1,
  // A thousand, the default, take longer than the training.
  evaluation: { replicates: 20 },
};

/** The same, with everything that a run's saved state has to restore. */
export const augmentedRun: ConfigurationInput = {
  ...tinyRun,
  optimizer: { name: 'sgd', rate: 0.05 },
  schedule: { every: 'step' },
  augmentation: { flip: 0.5, rotation: 10 },
  mixing: { mixup: 0.25, cutMix: 0.25, union: 0.25 },
  sampling: { negatives: 0.9, repeat: 0.5 },
  averageDecay: 0.8,
};
