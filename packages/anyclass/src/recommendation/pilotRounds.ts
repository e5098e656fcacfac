// Runs the rounds of pilots in order, planning each with the speed measured so far and the time left.

import { existsSync } from 'node:fs';
import { counted, inflected } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import type { DecisionChoice } from '../experiments/decisionText.js';
import { timeText } from '../experiments/paperEstimateTable.js';
import type { PlannedRun } from '../experiments/plannedRun.js';
import { readRuns } from '../experiments/readRuns.js';
import type { UnfinishedRun } from '../experiments/results.js';
import type { Candidate } from './candidates.js';
import { judgeRound, type Pilots } from './judgedRound.js';
import { type PilotTraining, plannedPilot } from './pilotRuns.js';
import { type FullRun, type PilotSize, type PilotSpeed, shareOf } from './pilotSize.js';
import type { Progress, RecordedRound } from './progress.js';
import { type RoundResult, shareText } from './recommendation.js';
import {
  leastSeconds,
  mostSeeds,
  type PlannedRound,
  planRounds,
  roundSizes,
  seedSeconds,
} from './roundPlan.js';

/** Everything that the rounds need. */
export interface PilotWork extends PilotTraining {
  readonly decision: DecisionChoice;
  readonly progress: Progress;
  /** Lists of losses, the longest first; the first one that fits into the time is used. */
  readonly lists: readonly (readonly Candidate[])[];
  /** Time left for pilots. */
  secondsLeft(): number;
}

export interface PilotResults {
  /** Rounds with at least two losses to compare. */
  readonly rounds: readonly RoundResult[];
  readonly unfinished: readonly UnfinishedRun[];
}

interface JudgedPilots {
  readonly result: RoundResult | undefined;
  readonly unfinished: readonly UnfinishedRun[];
}

/** Runs the remaining rounds, or as many as there is time for. */
export async function runRounds(work: PilotWork, speed: PilotSpeed): Promise<PilotResults> {
  const { progress } = work;
  if (progress.rounds.length === 0) planFirst(work, speed);
  const rounds: RoundResult[] = [];
  for (let i = 0; i < progress.rounds.length; i++) {
    const { result, unfinished } = await runRound(work, i);
    if (result) rounds[i] = result;
    if (work.isOver() || !result) return { rounds, unfinished };
    if (i < progress.rounds.length - 1) continue;
    planNext(work, result);
    // The same round again, with the runs that it has and more.
    if (i === progress.rounds.length - 1 && addSeeds(work, result)) i--;
  }
  return { rounds, unfinished: [] };
}

/** Fewer than this, and a simple loss that is as good as the best may be missing. */
const fewestFinalists = 3;

/**
 * Spends the time that is left on more seeds of the last round, or, if there is not enough for all of its losses, on one more seed of
 * the best in another round. Returns whether the last round is to run again.
 */
function addSeeds({ full, progress, note, secondsLeft }: PilotWork, { losses }: RoundResult): boolean {
  const { rounds, speed } = progress;
  const last = rounds.at(-1);
  if (!speed || !last || last.seeds >= mostSeeds) return false;
  const ofOne = seedSeconds(1, last, full, speed);
  const left = secondsLeft();
  const more = Math.min(mostSeeds - last.seeds, Math.floor(left / (ofOne * last.losses.length)));
  if (more > 0) {
    const seconds = more * ofOne * last.losses.length;
    const longer = { ...last, seeds: last.seeds + more, seconds, tookSeconds: null };
    progress.save({ rounds: [...rounds.slice(0, -1), longer] });
    note(`Time is left: ${counted(more, 'more seed')} of the last round, about ${timeText(seconds)}`);
    return true;
  }
  const finalists = Math.min(losses.length - 1, Math.floor(left / ofOne));
  if (finalists < fewestFinalists) return false;
  const best = losses.slice(0, finalists).map(({ candidate }) => candidate.label);
  const seconds = finalists * ofOne;
  const { instances, epochs, seeds } = last;
  progress.save({
    rounds: [...rounds, { losses: best, seeds: seeds + 1, instances, epochs, seconds, tookSeconds: null }],
  });
  note(`Time is left: one more seed of the best ${finalists}, about ${timeText(seconds)}`);
  return false;
}

/**
 * Minimum share of a full run in the first round. With shorter pilots, it is chance which losses continue,
 * and a shorter list is more informative.
 */
const leastFirstShare = 0.15;

function planFirst(work: PilotWork, speed: PilotSpeed): void {
  const { lists, full, progress, note } = work;
  const shortest = lists.at(-1)!;
  for (const list of lists) {
    const sizes = roundSizes(list.length).map((size, i) => (i === 0 ? size : size + keptIn(list)));
    const rounds = planRounds(work.secondsLeft(), sizes, full, speed);
    if (!rounds || (list !== shortest && shareOf(rounds[0]!, full) < leastFirstShare)) continue;
    progress.save({ rounds: [recorded(list, rounds[0]!)] });
    note(planText(rounds, full, speed));
    return;
  }
  const needed = progress.spentSeconds() + leastSeconds(shortest.length, full, speed);
  // Only part of the total time is planned for pilots.
  throw new UsageError(
    `is too short: ${counted(shortest.length, 'loss')} ${inflected(shortest.length, 'takes', 'take')} about ${counted(Math.ceil((1.1 * needed) / 60), 'minute')} at ${Math.round(speed.imagesPerSecond)} instances/s`,
    'minutes',
  );
}

/** Records the next round, if there is one and enough time for it. */
function planNext(work: PilotWork, result: RoundResult): void {
  const { full, progress, note } = work;
  const { rounds, speed } = progress;
  const sizes = roundSizes(rounds[0]!.losses.length).slice(rounds.length);
  if (!speed || sizes.length === 0) return;
  const ranked = result.losses.map(({ candidate }) => candidate);
  const best = ranked.filter(({ role }, i) => i < sizes[0]! || role !== undefined);
  const counts = sizes.map((size, i) => (i === 0 ? best.length : size + keptIn(ranked)));
  const [next] = planRounds(work.secondsLeft(), counts, full, speed, true) ?? [];
  if (!next) {
    note('No time left for another round');
    return;
  }
  progress.save({ rounds: [...rounds, recorded(best, next)] });
  note(`Round ${rounds.length + 1}: ${roundText(next, full)}`);
}

async function runRound(work: PilotWork, number: number): Promise<JudgedPilots> {
  const { progress, lists } = work;
  const round = progress.rounds[number]!;
  const candidates = round.losses.flatMap(
    (label) => lists.flat().find((candidate) => candidate.label === label) ?? [],
  );
  // Seed by seed, so that when the time is up, all losses have the first seeds.
  const planned = Array.from({ length: round.seeds }, (_, i) =>
    candidates.map((candidate) => ({ candidate, run: plannedPilot(work, candidate, round, i + 1) })),
  ).flat();
  const isResumed = planned.some(({ run }) => existsSync(run.folder));
  const before = progress.spentSeconds();
  return judgedPilots(work, planned, round, {
    needsAll: number > 0,
    onTrained: () => {
      if (round.tookSeconds === null && !work.isOver()) noteTime(progress, number, before, isResumed);
    },
  });
}

export interface PlannedPilot {
  readonly candidate: Candidate;
  readonly run: PlannedRun;
}

/**
 * Trains pilots of one size and judges them. The result is undefined if fewer than two candidates have a finished pilot, or the user interrupted.
 *
 * @param needsAll whether each candidate must have a pilot, unless it failed: if time ran out in a later round, the round before has them all
 */
export async function judgedPilots(
  work: PilotWork,
  planned: readonly PlannedPilot[],
  { instances, epochs }: PilotSize,
  {
    needsAll = false,
    onTrained = () => {},
  }: { readonly needsAll?: boolean; readonly onTrained?: () => void } = {},
): Promise<JudgedPilots> {
  const { folders, unfinished } = await work.trainPilots(planned.map(({ run }) => run));
  if (work.isInterrupted()) return { result: undefined, unfinished };
  onTrained();
  const runs = folders.length === 0 ? [] : readRuns(folders);
  const candidates = [...new Set(planned.map(({ candidate }) => candidate))];
  const of = (wanted: Candidate) =>
    planned.filter(({ candidate }) => candidate === wanted).map(({ run }) => run);
  const pilots = candidates.flatMap((candidate): Pilots[] => {
    const own = of(candidate).flatMap(({ folder }) => runs.find((run) => run.folder === folder) ?? []);
    return own.length === 0 ? [] : [{ candidate, runs: own }];
  });
  const missing = candidates.filter((candidate) => !pilots.some((each) => each.candidate === candidate));
  const failed = new Set(unfinished.filter(({ state }) => state === 'failed').map(({ name }) => name));
  const hasFailed = (candidate: Candidate) => of(candidate).some(({ name }) => failed.has(name));
  const isJudged = pilots.length >= 2 && (!needsAll || missing.every(hasFailed));
  if (!isJudged) return { result: undefined, unfinished };
  const judged = await judgeRound(pilots, work.decision);
  return { result: { ...judged, instances, epochs, missing: missing.map(({ label }) => label) }, unfinished };
}

/** Bounded, because runs that fail immediately are not fast. */
export function boundedPace(pace: number): number {
  return Math.min(4, Math.max(0.25, pace));
}

/** Records how long the round took, and updates the speed for the next one, unless the round was resumed. */
function noteTime(progress: Progress, number: number, before: number, isResumed: boolean): void {
  const { rounds, speed } = progress;
  const tookSeconds = progress.spentSeconds() - before;
  const pace = isResumed ? 1 : boundedPace(tookSeconds / rounds[number]!.seconds);
  progress.save({
    rounds: rounds.map((each, i) => (i === number ? { ...each, tookSeconds } : each)),
    ...(speed && {
      speed: {
        ...speed,
        imagesPerSecond: speed.imagesPerSecond / pace,
        overheadSeconds: speed.overheadSeconds * pace,
      },
    }),
  });
}

function recorded(
  losses: readonly Candidate[],
  { seeds, instances, epochs, seconds }: PlannedRound,
): RecordedRound {
  return { losses: losses.map(({ label }) => label), seeds, instances, epochs, seconds, tookSeconds: null };
}

/** How many losses are kept in every round. */
function keptIn(list: readonly Candidate[]): number {
  return list.filter(({ role }) => role !== undefined).length;
}

function planText(
  rounds: readonly PlannedRound[],
  full: FullRun & { readonly dataset: string },
  { imagesPerSecond }: PilotSpeed,
): string {
  return [
    `${full.dataset}: ${counted(full.train, 'training instance')}, ${counted(full.validation, 'validation instance')}, ${counted(full.epochs, 'epoch')} in a full run; ${Math.round(imagesPerSecond).toLocaleString('en-US')} instances/s measured`,
    rounds.length > 1 ? 'Plan, refined after each round:' : 'Plan:',
    ...rounds.map((round, i) => `  round ${i + 1}: ${roundText(round, full)}`),
  ].join('\n');
}

function roundText({ losses, seeds, instances, epochs, seconds }: PlannedRound, full: FullRun): string {
  const share = shareOf({ instances, epochs }, full);
  return `${counted(losses, 'loss')} × ${counted(seeds, 'seed')}, ${counted(instances, 'instance')} × ${counted(epochs, 'epoch')} (${shareText(share)} of a full run), about ${timeText(seconds)}`;
}
