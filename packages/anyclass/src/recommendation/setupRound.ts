// The first round of a recommendation: input sizes and augmentations, with the loss that the configuration has.

import { existsSync } from 'node:fs';
import { counted } from '../errors/counted.js';
import { timeText } from '../experiments/paperEstimateTable.js';
import type { UnfinishedRun } from '../experiments/results.js';
import type { Candidate } from './candidates.js';
import { boundedPace, judgedPilots, type PilotWork } from './pilotRounds.js';
import { plannedPilot } from './pilotRuns.js';
import { largestPilot, type PilotSpeed, pilotSeconds, shareOf } from './pilotSize.js';
import { type RoundResult, shareText } from './recommendation.js';
import { leastSeconds } from './roundPlan.js';
import type { Setup } from './setups.js';

/** Its share of the time. */
const setupShare = 1 / 4;

export interface SetupChoice {
  readonly setup: Setup;
  /** What the pilots showed; undefined if there was nothing to try, or no time. */
  readonly result?: RoundResult;
  readonly unfinished: readonly UnfinishedRun[];
}

/**
 * Trains short pilots of every setup, and chooses one: the base, unless another is clearly better; then the cheapest of those that the best is
 * not clearly better than. Of three and more, the one that did worst is not chosen, even if that could be chance.
 */
export async function chooseSetup(
  work: PilotWork,
  setups: readonly Setup[],
  speed: PilotSpeed,
): Promise<SetupChoice> {
  const { progress, base } = work;
  const [own] = setups;
  if (setups.length < 2) return { setup: own!, unfinished: [] };
  if (progress.setups === null && progress.rounds.length === 0) plan(work, setups, speed);
  const planned = progress.setups;
  if (planned === null) return { setup: own!, unfinished: [] };
  const candidates = setups.map(({ label }): Candidate => ({ label, loss: base.loss }));
  const runs = candidates.map((candidate, i) => {
    const { configuration } = setups[i]!;
    return { candidate, run: plannedPilot({ ...work, base: configuration }, candidate, planned, 1) };
  });
  const isNew = runs.every(({ run }) => !existsSync(run.folder));
  const before = progress.spentSeconds();
  const { result, unfinished } = await judgedPilots(work, runs, planned);
  if (!result) return { setup: own!, unfinished };
  const known = setups.find(({ label }) => label === planned.chosen);
  if (known) return { setup: known, result, unfinished };
  const setup = best(setups, result);
  const pace = isNew ? boundedPace((progress.spentSeconds() - before) / planned.seconds) : 1;
  const imagesPerSecond = speed.imagesPerSecond / setup.cost / pace;
  progress.save({
    setups: { ...planned, chosen: setup.label },
    speed: { ...speed, imagesPerSecond, overheadSeconds: speed.overheadSeconds * pace },
  });
  return { setup, result, unfinished };
}

function plan(work: PilotWork, setups: readonly Setup[], speed: PilotSpeed): void {
  const { full, lists, progress, note } = work;
  const cost = setups.reduce((sum, setup) => sum + setup.cost, 0);
  const left = work.secondsLeft();
  const size = largestPilot((setupShare * left * speed.sideBySide) / cost, full, speed);
  const most = Math.max(...setups.map((setup) => setup.cost));
  const losses = leastSeconds(lists.at(-1)!.length, full, {
    ...speed,
    imagesPerSecond: speed.imagesPerSecond / most,
  });
  if (!size || losses > (1 - setupShare) * left) {
    note('Too little time to try input sizes and augmentations: only losses are compared');
    return;
  }
  const seconds = (cost * pilotSeconds(size, full, speed)) / speed.sideBySide;
  progress.save({ setups: { ...size, seconds, chosen: null } });
  note(
    `First ${setups.map(({ label }) => label).join(', ')}: ${counted(size.instances, 'instance')} × ${counted(size.epochs, 'epoch')} (${shareText(shareOf(size, full))} of a full run), about ${timeText(seconds)}`,
  );
}

function best(setups: readonly Setup[], { losses }: RoundResult): Setup {
  const worst = losses.length > 2 && losses.at(-1)!.f1 < losses.at(-2)!.f1 ? losses.at(-1) : undefined;
  const eligible = losses.filter((one) => one.isWithinNoise && one !== worst);
  const known = setups.filter(({ label }) => eligible.some(({ candidate }) => candidate.label === label));
  const own = known.find((setup) => setup === setups[0]);
  return own ?? known.toSorted((a, b) => a.cost - b.cost)[0] ?? setups[0]!;
}
