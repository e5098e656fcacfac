// Computes how large pilot runs can be, from the available time and the measured speed.

/** The size of a full run, as configured. */
export interface FullRun {
  /** Training images. */
  readonly train: number;
  readonly validation: number;
  readonly epochs: number;
}

/** Speed measured on this machine. */
export interface PilotSpeed {
  /** Training speed. */
  readonly imagesPerSecond: number;
  /** Fixed cost of each run, for starting its process and writing its results. */
  readonly overheadSeconds: number;
  /** How many runs train at the same time. */
  readonly sideBySide: number;
}

/** The size of a pilot. */
export interface PilotSize {
  readonly instances: number;
  readonly epochs: number;
}

/** Scoring an image costs a third of training on it. */
export const scoringCost = 1 / 3;

const fewestEpochs = 3;
/**
 * With less, metrics are chance: at least 1/50 of a full run, and at least this many images per epoch if
 * there are as many.
 */
const leastShare = 1 / 50;
const fewestInstances = 500;

/**
 * The duration of one pilot in seconds: training, validation after each epoch and once more at the end.
 *
 * @example
 * pilotSeconds({ instances: 900, epochs: 3 }, { train: 900, validation: 300, epochs: 6 }, { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 }) // 33
 */
export function pilotSeconds(
  size: PilotSize,
  { validation }: FullRun,
  speed: Omit<PilotSpeed, 'sideBySide'>,
): number {
  const { instances, epochs } = size;
  const images = epochs * instances + (epochs + 1) * validation * scoringCost;
  return speed.overheadSeconds + images / speed.imagesPerSecond;
}

/**
 * Returns the largest pilot that fits into this many seconds: on all images if each can be seen three times,
 * otherwise on a subset. It is at most a full run; undefined if there is only time for an uninformative one.
 *
 * @example
 * largestPilot(33, { train: 900, validation: 300, epochs: 6 }, { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 })
 * // { instances: 900, epochs: 3 }
 */
export function largestPilot(
  seconds: number,
  full: FullRun,
  speed: Omit<PilotSpeed, 'sideBySide'>,
): PilotSize | undefined {
  const scored = full.validation * scoringCost;
  // 1e-9 allows for rounding: a size must fit into exactly the seconds that it takes.
  const images = (seconds - speed.overheadSeconds) * speed.imagesPerSecond * (1 + 1e-9) - scored;
  const epochs = Math.floor(images / (full.train + scored));
  const fewest = Math.min(fewestEpochs, full.epochs);
  const size =
    epochs >= fewest
      ? { instances: full.train, epochs: Math.min(epochs, full.epochs) }
      : { instances: Math.min(full.train, Math.floor(images / fewest - scored)), epochs: fewest };
  const least = leastPilot(full);
  return size.instances * size.epochs >= least.instances * least.epochs ? size : undefined;
}

/** The share of a full run's image views that a pilot has. */
export function shareOf({ instances, epochs }: PilotSize, full: FullRun): number {
  return (instances * epochs) / (full.train * full.epochs);
}

/** The smallest informative pilot. */
export function leastPilot({ train, epochs }: FullRun): PilotSize {
  const fewest = Math.min(fewestEpochs, epochs);
  const share = Math.ceil((leastShare * train * epochs) / fewest);
  return { instances: Math.min(train, Math.max(fewestInstances, share)), epochs: fewest };
}
