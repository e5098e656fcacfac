// Plans rounds of pilots by successive halving: all losses in short runs, then the best in longer ones.
// Jamieson and Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization",
// arXiv 1502.07943.
// Each round trains from scratch with its own schedule: in the middle of a long schedule, the high learning
// rate hides which loss is better.

import {
  type FullRun,
  largestPilot,
  leastPilot,
  type PilotSize,
  type PilotSpeed,
  pilotSeconds,
} from './pilotSize.js';

/** A round: several losses with several seeds each, in pilots of one size. */
export interface PlannedRound extends PilotSize {
  readonly losses: number;
  readonly seeds: number;
  /** Expected duration. */
  readonly seconds: number;
}

/** One loss in this many continues. */
const eta = 3;
/** How many of the best losses are compared in the last round, with several seeds. */
const finalists = { fewest: 3, most: 5 } as const;
/** A list of at most this many losses is compared in a single round. */
const shortList = 8;
const finalSeeds = { fewest: 2, most: 3 } as const;
/** More seeds tell little more, even if there is time for them. */
export const mostSeeds = 5;

/**
 * The number of losses in each round; the first round has all of them.
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
 * Plans rounds that fit into the time; undefined if any pilot would be too small to be informative. The last
 * of several rounds gets twice the time of each other round, and more than one seed. If a round trains full
 * runs and has time to spare, that time goes to the rounds after it.
 *
 * @param sizes the number of losses in each remaining round
 * @param isBegun whether there were rounds before them
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

/** The minimum time for an informative round over a short list, in seconds. */
export function leastSeconds(losses: number, full: FullRun, speed: PilotSpeed): number {
  return roundSeconds(losses, 1, leastPilot(full), full, speed);
}

/** How long one seed of every loss takes. */
export function seedSeconds(losses: number, size: PilotSize, full: FullRun, speed: PilotSpeed): number {
  return roundSeconds(losses, 1, size, full, speed);
}

interface RoundWish {
  readonly losses: number;
  readonly seeds: number;
  /** Maximum number of seeds if the runs are full ones and there is still time. */
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
