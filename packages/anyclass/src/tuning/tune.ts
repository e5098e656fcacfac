// A search for good settings: the function behind `anyclass tune`.

import { groupedDevices, type RunDevices } from '../children/devices.js';
import type { Settings } from '../configuration/overrides.js';
import { UsageError } from '../errors/usageError.js';
import type { RunEventListener } from '../events/runEvent.js';
import { absolutePaths } from '../runs/runFolder.js';
import { readConfiguration } from '../training/readConfiguration.js';
import { defaultMinEpochs } from './halving.js';
import { type Ledger, openLedger } from './ledger.js';
import { checkSearch, defaultSearch, type SearchRequest, searchSpace } from './searchSpace.js';
import { createStudy, readStudy, refuseChange, type StudySettings } from './study.js';
import { type StudyResult, studyResult } from './studyResult.js';
import { trainTrial } from './trainTrial.js';
import { work } from './work.js';

/** The settings of a study. In an existing study, those left out keep their values. */
export interface StudyRequest {
  /** A configuration file or recipe name that all trials share. Required for a new study. */
  readonly config?: string | undefined;
  /** A DATASET to use instead of the configuration's. */
  readonly data?: string | undefined;
  /** Fields to set in all trials, by their dotted names. */
  readonly set?: Settings | undefined;
  /** The fields to search; by default α, λ, β, learning rate, weight decay and batch size. */
  readonly search?: SearchRequest | undefined;
  /** The validation metric to optimize. Default mAP. */
  readonly metric?: StudySettings['metric'] | undefined;
  /** Seed for the search. Default 0. */
  readonly seed?: number | undefined;
  /** One trial in this many continues at each rung. Default 3. */
  readonly eta?: number | undefined;
  /** The epoch of the first rung. */
  readonly minEpochs?: number | undefined;
  readonly retries?: number | undefined;
}

export interface TuneOptions extends StudyRequest, RunDevices {
  /** Total number of trials; may be raised later. Default 30. */
  readonly trials?: number | undefined;
  /** How many trials to run side by side. Default 1. */
  readonly workers?: number;
}

export interface TuneControl {
  readonly onEvent?: RunEventListener;
  /** When aborted, the trials in progress are returned to the study and the work stops. */
  readonly signal?: AbortSignal;
  /** Called with the study before its first trial starts. */
  readonly onOpen?: (settings: StudySettings, ledger: Ledger) => void;
}

/**
 * Works on a study until all its trials are done or the signal is aborted, and returns what was found so far.
 * Any number of processes, on any number of machines that share the folder, may do so at once.
 *
 * @example
 * const { best } = await tune('studies/digits', { config: 'quick', trials: 30 });
 * best?.values // { 'loss.lambda': 0.11, … }
 */
export async function tune(
  study: string,
  options: TuneOptions = {},
  { onEvent, signal, onOpen }: TuneControl = {},
): Promise<StudyResult> {
  const { trials, workers = 1, processes } = options;
  const devices = options.devices === undefined ? undefined : groupedDevices(options.devices, processes);
  const settings = await openStudy(study, options);
  const ledger = openLedger(study, settings);
  if (trials !== undefined || ledger.state().goal === 0) await ledger.setGoal(trials ?? 30);
  onOpen?.(settings, ledger);
  await work(study, settings, {
    workers,
    objective: trainTrial(study, settings, { workers, processes, ...(devices && { devices }) }),
    ...(signal && { signal }),
    ...(onEvent && { onEvent }),
  });
  return studyResult(study, settings, ledger.state());
}

/** Returns the settings of a study, created if it is new; throws if a given setting differs from it. */
async function openStudy(study: string, given: StudyRequest): Promise<StudySettings> {
  const { config, data, set, search, metric, seed, eta, minEpochs } = given;
  const known = readStudy(study);
  const retries = given.retries ?? known?.retries;
  if (config === undefined && (data !== undefined || set !== undefined))
    throw new UsageError('data and set change a configuration or recipe; name it too', 'config');
  const configuration =
    config === undefined
      ? known?.configuration
      : absolutePaths(await readConfiguration(config, { dataset: data, set }));
  if (!configuration)
    throw new UsageError(`${study} is a new study; name a configuration or recipe for it`, 'config');
  const settings: StudySettings = {
    configuration,
    search: search ? searchSpace(search, configuration) : (known?.search ?? defaultSearch(configuration)),
    metric: metric ?? known?.metric ?? 'mAP',
    seed: seed ?? known?.seed ?? 0,
    eta: eta ?? known?.eta ?? 3,
    minEpochs: minEpochs ?? known?.minEpochs ?? defaultMinEpochs(configuration),
    ...(retries !== undefined && { retries }),
  };
  if (known) {
    refuseChange(study, known, settings);
    return known;
  }
  checkSearch(settings);
  await createStudy(study, settings);
  return settings;
}
