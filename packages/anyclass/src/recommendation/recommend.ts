// Recommends a loss from pilot runs on the user's own data: the function behind `anyclass recommend`.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkDecisionOptions, type FitDecisionOptions } from '@anyclass/core';
import { configuredForChildren } from '../children/devices.js';
import { fitOptions } from '../configuration/decisionFields.js';
import { resultFields } from '../configuration/dottedFields.js';
import { type Settings, withSettings } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { datasetName, parseDataset } from '../data/datasetSpec.js';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import type { ExperimentHooks } from '../experiments/compare.js';
import type { DecisionSettings } from '../experiments/comparison.js';
import { fileName } from '../experiments/comparisonTables.js';
import type { DecisionChoice } from '../experiments/decisionText.js';
import { type ExperimentSettings, runExperiment } from '../experiments/experiment.js';
import { prepareCaches } from '../experiments/prepareCaches.js';
import { failureText, type UnfinishedRun, unfinishedRuns } from '../experiments/results.js';
import { type LossVariant, variantText } from '../experiments/variants.js';
import { writeWhole } from '../files/wholeFile.js';
import { absolutePaths } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { candidateLists, listedCandidates } from './candidates.js';
import { configurationText } from './configurationFile.js';
import { fullRun, readBase } from './pilotBase.js';
import { type PilotResults, type PilotWork, runRounds } from './pilotRounds.js';
import { assumedSpeed, measureSpeed } from './pilotRuns.js';
import type { FullRun, PilotSpeed } from './pilotSize.js';
import { openProgress } from './progress.js';
import { type Recommendation, type RecommendedSetup, recommendLoss } from './recommendation.js';
import { leastSeconds } from './roundPlan.js';
import { chooseSetup } from './setupRound.js';
import { setupsOf } from './setups.js';

export interface RecommendOptions extends Pick<ExperimentSettings, 'jobs' | 'devices' | 'processes'> {
  /** A DATASET, or a configuration file or recipe name whose loss is then one of the candidates. */
  readonly source: string;
  /** Total time for the pilots. */
  readonly minutes: number;
  /** A DATASET to use instead of the configuration's. */
  readonly data?: string | undefined;
  /**
   * The losses to choose from. Default: bce and asl, with and without balancing and any-class term.
   */
  readonly losses?: readonly LossVariant[] | undefined;
  /** Fields to set in all pilots and in the recommended configuration, by their dotted names. */
  readonly set?: Settings;
  /** The output folder. Default: a folder below `recommendations`, named after the data. */
  readonly out?: string | undefined;
  /** How losses are evaluated. Default: as configured, normally 5% false alarms with a confidence of 0.95. */
  readonly decision?: DecisionSettings;
}

export interface RecommendResult {
  /** Omitted if the pilots were interrupted. */
  readonly recommendation?: Recommendation;
  /** Path of the recommended configuration. */
  readonly file: string;
  readonly unfinished: readonly UnfinishedRun[];
}

/** The rest of the time is reserved for evaluation and for runs that take longer than planned. */
const plannedShare = 0.93;
/**
 * Share of the time for decoding images once for all pilots; pilots decode the remaining images themselves.
 */
const cacheShare = 1 / 3;

/**
 * Trains short pilots with several losses, then longer ones with the best of them, and recommends a loss by
 * its F1 on validation at the given false-alarm budget. Writes `recommended.jsonc`, a configuration with the
 * reasons as comments, and `recommendation.json`. Call it again to resume after an interruption, with the
 * remaining time or with more of it.
 *
 * @example
 * const { recommendation } = await recommend({ source: 'digits', minutes: 10 });
 * recommendation?.verdict
 */
export async function recommend(
  options: RecommendOptions,
  hooks: ExperimentHooks = {},
): Promise<RecommendResult> {
  const { source, minutes, data, set = {} } = options;
  if (!(minutes > 0)) throw new UsageError(`is ${minutes}; expected a positive number`, 'minutes');
  const { configuration, isConfigured, remarks } = await readBase(source, data, set);
  const decision = decisionOf(configuration.evaluation.decision, options.decision);
  const full = await fullRun(configuration);
  const out =
    options.out ?? join('recommendations', fileName(datasetName(parseDataset(configuration.data.dataset))));
  const file = join(out, 'recommended.jsonc');
  const base = absolutePaths({ ...configuration, ...configuredForChildren(options.devices) });
  const lists =
    options.losses === undefined
      ? candidateLists(base.loss, { keepsOwn: isConfigured })
      : [listedCandidates(options.losses, base)];
  const assumed = assumedSpeed(base, options);
  if (!existsSync(out)) refuseHopeless(lists.at(-1)!.length, full, assumed, minutes);
  mkdirSync(out, { recursive: true });
  using _lock = lockRun(out);
  using progress = openProgress(join(out, 'progress.json'), {
    decision,
    losses: options.losses?.map((loss) => variantText(loss, 'loss')),
    isConfigured,
    ...Object.fromEntries(resultFields(base)),
  });
  const note = (text: string) => hooks.onEvent?.({ type: 'note', text });
  for (const remark of progress.rounds.length === 0 ? remarks : []) note(remark);
  const signal = anyOf(hooks.signal, deadlineIn(60 * minutes - progress.spentSeconds()));
  const pilots = join(out, 'pilots');
  const work: PilotWork = {
    base,
    full,
    decision,
    progress,
    note,
    out: pilots,
    lists,
    secondsLeft: () => 60 * minutes * plannedShare - progress.spentSeconds(),
    isOver: () => signal.aborted,
    isInterrupted: () => hooks.signal?.aborted ?? false,
    async trainPilots(plan) {
      hooks.onPlan?.(plan);
      const { devices, processes, jobs } = options;
      const runs = await runExperiment(
        plan,
        { out: pilots, devices, processes, jobs, noPrepare: true },
        { ...hooks, signal },
      );
      return { folders: runs.folders, unfinished: unfinishedRuns(runs) };
    },
  };
  if (!signal.aborted) await prepareSome(base, anyOf(signal, deadlineIn(cacheShare * 60 * minutes)), hooks);
  const prepare = (chosen: Configuration) =>
    prepareSome(chosen, anyOf(signal, deadlineIn((cacheShare * work.secondsLeft()) / plannedShare)), hooks);
  const { rounds, unfinished, setup } = await pilotResults(work, assumed, Object.keys(set), prepare);
  if (work.isInterrupted()) return { file, unfinished };
  if (rounds.length === 0 || !progress.speed) throw new UserError(failure(out, minutes, unfinished));
  const recommendation = recommendLoss({
    ...(setup && { setup }),
    decision,
    rounds,
    full,
    minutes,
    speed: progress.speed,
    spentSeconds: progress.spentSeconds(),
  });
  writeWhole(join(out, 'recommendation.json'), `${JSON.stringify(recommendation, null, 2)}\n`);
  writeWhole(file, configurationText(withSetup(configuration, setup), recommendation, out));
  return { recommendation, file, unfinished };
}

/** First the speed of this machine, then input size and augmentation, then the loss. */
async function pilotResults(
  work: PilotWork,
  assumed: PilotSpeed,
  fixed: readonly string[],
  prepare: (chosen: Configuration) => Promise<void>,
): Promise<PilotResults & { readonly setup?: RecommendedSetup }> {
  const { progress, lists } = work;
  if (!progress.speed) {
    const { speed, unfinished } = await measureSpeed(work, lists[0]![0]!, assumed);
    if (!speed) return { rounds: [], unfinished };
    progress.save({ speed });
  }
  const setups = setupsOf(work.base, fixed);
  const { setup, result, unfinished } = await chooseSetup(work, setups, progress.speed!);
  if (work.isOver() && !result) return { rounds: [], unfinished };
  const { label, settings, cost, configuration } = setup;
  if (Object.keys(settings).length > 0 && !work.isOver()) await prepare(configuration);
  const results = await runRounds({ ...work, base: configuration }, progress.speed!);
  if (!result) return results;
  return {
    ...results,
    setup: { label, settings, cost, tried: setups.map((each) => each.label), round: result },
  };
}

function withSetup(configuration: Configuration, setup: RecommendedSetup | undefined): Configuration {
  return setup ? validateConfiguration(withSettings(configuration, setup.settings)) : configuration;
}

/** Throws if the time is hopelessly short, before anything is measured, which can itself take minutes. */
function refuseHopeless(losses: number, full: FullRun, assumed: PilotSpeed, minutes: number): void {
  const fast = { ...assumed, imagesPerSecond: 4 * assumed.imagesPerSecond };
  const [fastest, expected] = [fast, assumed].map((speed) => leastSeconds(losses, full, speed));
  if (fastest! <= 60 * minutes) return;
  throw new UsageError(
    `is too short: the pilots would take about ${Math.ceil(expected! / 60)} minutes here; use a smaller network or smaller images, or train without pilots`,
    'minutes',
  );
}

function failure(out: string, minutes: number, unfinished: readonly UnfinishedRun[]): string {
  const failed = unfinished.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return failureText(failed.slice(0, 1));
  return `${out}: fewer than two losses have a finished pilot after ${counted(minutes, 'minute')}; allow more time`;
}

function decisionOf(
  settings: Parameters<typeof fitOptions>[0],
  given: DecisionSettings = {},
): DecisionChoice & Pick<FitDecisionOptions, 'threshold'> {
  const { threshold, ...own } = fitOptions(settings);
  const { rule, budget, beta } = checkDecisionOptions({ ...own, ...given });
  return { rule, budget, beta, ...(rule === 'fixed' && threshold !== undefined && { threshold }) };
}

/** A signal that aborts after this many seconds. */
function deadlineIn(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.min(2 ** 31 - 1, Math.round(1000 * seconds))));
}

function anyOf(first: AbortSignal | undefined, second: AbortSignal): AbortSignal {
  return first ? AbortSignal.any([first, second]) : second;
}

/** Completes the image cache as far as time allows. */
async function prepareSome(
  base: Configuration,
  signal: AbortSignal,
  { onEvent = () => {} }: ExperimentHooks,
): Promise<void> {
  await prepareCaches([base], onEvent, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
