// A pilot run: a scaled-down version of the configuration, with another loss.

import { oneOf } from '../configuration/candidates.js';
import type { Configuration } from '../configuration/schema.js';
import type { LossFields } from './candidates.js';
import { type FullRun, type PilotSize, shareOf } from './pilotSize.js';

/**
 * Returns the configuration of a pilot. Whatever is counted in epochs or steps shrinks with it: milestones,
 * cycles, warm-up, and the horizon of averaged weights. The test split stays untouched, only one checkpoint
 * is kept, and no run stops early.
 *
 * @example
 * pilotConfiguration(configuration, loss, { instances: 500, epochs: 4 }, { train: 5000, validation: 900, epochs: 40 }, 1).schedule.milestones
 * // [2, 3] for [20, 30]
 */
export function pilotConfiguration(
  configuration: Configuration,
  loss: LossFields,
  size: PilotSize,
  full: FullRun,
  seed: number,
): Configuration {
  const { checkpoints, evaluation } = configuration;
  const pilot: Configuration = {
    ...shortened(configuration, size, full),
    loss,
    seed,
    patience: undefined,
    checkpoints: { ...checkpoints, keep: 1, best: [] },
    evaluation: { ...evaluation, test: false, replicates: 0 },
  };
  // Rounds choose which pilots follow.
  return oneOf(pilot, 'adaptive');
}

/** The same run on fewer images or in fewer epochs, with everything that is counted in epochs or steps. */
export function shortened(configuration: Configuration, size: PilotSize, full: FullRun): Configuration {
  const { data, averageDecay } = configuration;
  const { instances, epochs } = size;
  const isPart = instances < full.train;
  return {
    ...configuration,
    epochs,
    data: isPart ? { ...data, subset: { seed: 0, ...data.subset, instances } } : data,
    schedule: shortSchedule(configuration, epochs),
    averageDecay: averageDecay === undefined ? undefined : averageDecay ** (1 / shareOf(size, full)),
  };
}

function shortSchedule({ schedule, epochs: all }: Configuration, epochs: number): Configuration['schedule'] {
  const shorter = (count: number) => Math.max(1, Math.round((count * epochs) / all));
  const { milestones, firstCycle, warmUpEpochs } = schedule;
  return {
    ...schedule,
    milestones: [...new Set(milestones.map(shorter))],
    ...(firstCycle !== undefined && { firstCycle: shorter(firstCycle) }),
    // A longer warm-up would leave too little of a short run at its full rate.
    warmUpEpochs: warmUpEpochs === 0 ? 0 : Math.min(shorter(warmUpEpochs), Math.floor(epochs / 4)),
  };
}
