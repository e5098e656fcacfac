// Rounds of pilots by successive halving: all losses in short runs, then the best of them in longer ones.
// Jamieson and Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", arXiv 1502.07943. Each round
// trains from the beginning with a schedule of its own: in the middle of a long one, a high learning rate hides which loss is better.

import {
  type FullRun,
  largestPilot,
  leastPilot,
  type PilotSize,
  type PilotSpeed,
  pilotSeconds,
} from './pilotSize.js';

/** Losses with a number of seeds each, in pilots of one size. */
export interface PlannedRound extends PilotSize {
  readonly losses: number;
  readonly seeds: number;
  /** What it should take. */
  readonly seconds: number;
}

/** One loss in this many continues. */
const eta = 3;
/** So many of the best are compared at last, with several seeds. */
const finalists = { fewest: 3, most: 5 } as const;
/** A list that is not longer is compared at once. */
const shortList = 8;
const finalSeeds = { fewest: 2, most: 3 } as const;

/**
 * How many losses continue from each round, the first number being all of them.
 *
 * @example
 * roundSizes(24) // [24, 8, 3]
 * roundSizes(6) // [6]
 */
export function roundSizes(losses: number): number[] {
  const sizes = [losses];
  if (losses <= shortList) return sizes;
  for (let best = losses; best > finalists.most; ) {
    best = Math.max(finalists.fewest, Math.ceil(best / eta));
    sizes.push(best);
  }
  return sizes;
}

/**
 * The rounds that fit into the time; undefined where some pilot would be too small to tell anything. The last of several rounds
 * has twice the time of each other one, and more than one seed. Time that a round does not need, since its runs are full ones, is
 * left to those after it.
 *
 * @param sizes the number of losses in each round that is to come
 * @param isBegun whether rounds came before them
 *
 * @example
 * planRounds(600, [12, 4], { train: 3200, validation: 1000, epochs: 6 }, { imagesPerSecond: 250, overheadSeconds: 3, sideBySide: 1 })
 * // [{ losses: 12, seeds: 1, instances: 694, epochs: 3, … }, { losses: 4, seeds: 2, instances: 3200, epochs: 3, … }]
 */
export function planRounds(
  seconds: number,
  sizes: readonly number[],
  full: FullRun,
  speed: PilotSpeed,
  isBegun = false,
): PlannedRound[] | undefined {
  const isSeeded = isBegun || sizes.length > 1;
  const rounds: PlannedRound[] = [];
  let left = seconds;
  for (const [i, losses] of sizes.entries()) {
    const isLast = i === sizes.length - 1;
    const share = isLast ? left : left / (sizes.length - i + 1);
    const seeds = isLast && isSeeded ? finalSeeds.fewest : 1;
    const round = largestRound(
      share,
      { losses, seeds, mostSeeds: isLast ? finalSeeds.most : 1 },
      full,
      speed,
    );
    if (!round) return undefined;
    rounds.push(round);
    left -= round.seconds;
  }
  return rounds;
}

/** The least time in which a short list can tell anything, in seconds. */
export function leastSeconds(losses: number, full: FullRun, speed: PilotSpeed): number {
  return roundSeconds(losses, 1, leastPilot(full), full, speed);
}

interface RoundWish {
  readonly losses: number;
  readonly seeds: number;
  /** Where runs are full ones and there is still time. */
  readonly mostSeeds: number;
}

function largestRound(
  seconds: number,
  { losses, seeds, mostSeeds }: RoundWish,
  full: FullRun,
  speed: PilotSpeed,
): PlannedRound | undefined {
  const size = largestPilot((seconds * speed.sideBySide) / (losses * seeds), full, speed);
  if (!size) return undefined;
  const isFull = size.instances === full.train && size.epochs === full.epochs;
  if (isFull && seeds < mostSeeds && roundSeconds(losses, seeds + 1, size, full, speed) <= seconds)
    return largestRound(seconds, { losses, seeds: seeds + 1, mostSeeds }, full, speed);
  return { ...size, losses, seeds, seconds: roundSeconds(losses, seeds, size, full, speed) };
}

function roundSeconds(
  losses: number,
  seeds: number,
  size: PilotSize,
  full: FullRun,
  speed: PilotSpeed,
): number {
  return (losses * seeds * pilotSeconds(size, full, speed)) / speed.sideBySide;
}
