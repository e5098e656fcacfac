// How large pilot runs can be: from the time that there is, and the speed that was measured.

/** A full run, as the configuration has it. */
export interface FullRun {
  /** Training images. */
  readonly train: number;
  readonly validation: number;
  readonly epochs: number;
}

/** What was measured on this machine. */
export interface PilotSpeed {
  /** Of training. */
  readonly imagesPerSecond: number;
  /** Of each run, for its process to start and its result to be written. */
  readonly overheadSeconds: number;
  /** Runs at the same time. */
  readonly sideBySide: number;
}

/** How much of a full run a pilot is. */
export interface PilotSize {
  readonly instances: number;
  readonly epochs: number;
}

/** Scoring an image costs a third of training on it. */
const scoringCost = 1 / 3;

const fewestEpochs = 3;
/** With less, figures are chance: a 50th of a full run, and these images in each epoch where there are this many. */
const leastShare = 1 / 50;
const fewestInstances = 500;

/**
 * Seconds of one pilot: training, validation after each epoch and once more at the end.
 *
 * @example
 * pilotSeconds({ instances: 900, epochs: 3 }, { train: 900, validation: 300, epochs: 6 }, { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 }) // 33
 */
export function pilotSeconds(size: PilotSize, { validation }: FullRun, speed: PilotSpeed): number {
  const { instances, epochs } = size;
  const images = epochs * instances + (epochs + 1) * validation * scoringCost;
  return speed.overheadSeconds + images / speed.imagesPerSecond;
}

/**
 * The largest pilot within this many seconds: on all images as long as they can be seen three times, else on a part of them. It is
 * no longer than a full run; undefined where there is only time for one that tells nothing.
 *
 * @example
 * largestPilot(33, { train: 900, validation: 300, epochs: 6 }, { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 })
 * // { instances: 900, epochs: 3 }
 */
export function largestPilot(seconds: number, full: FullRun, speed: PilotSpeed): PilotSize | undefined {
  const scored = full.validation * scoringCost;
  // 1e-9: a size must fit into the seconds that it takes.
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

/** What part of a full run's images a pilot sees. */
export function shareOf({ instances, epochs }: PilotSize, full: FullRun): number {
  return (instances * epochs) / (full.train * full.epochs);
}

/** The smallest pilot that tells something. */
export function leastPilot({ train, epochs }: FullRun): PilotSize {
  const fewest = Math.min(fewestEpochs, epochs);
  const share = Math.ceil((leastShare * train * epochs) / fewest);
  return { instances: Math.min(train, Math.max(fewestInstances, share)), epochs: fewest };
}
