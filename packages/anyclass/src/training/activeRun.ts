// A run in progress: its folder, its listeners, and its last checkpoint.

import type { Configuration } from '../configuration/schema.js';
import type { Dataset } from '../data/dataset/dataset.js';
import { failingTogether } from '../distribution/failure.js';
import type { Ranks } from '../distribution/ranks.js';
import { firstError, messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { RunEventListener } from '../events/runEvent.js';
import type { RunSummary } from '../events/runSummary.js';
import { eventLog } from '../runs/eventLog.js';
import { readExamples } from '../runs/examples.js';
import type { BackgroundLog } from '../runs/logs/mlflowLog.js';
import { runLogs } from '../runs/logs/runLogs.js';
import { type RunPaths, runPaths } from '../runs/runFolder.js';
import { runScores } from '../runs/runScores.js';

export interface TrainOptions {
  /** The run folder; by default a folder below `runs`, named after data, network, loss and time. */
  readonly run?: string | undefined;
  /** Whether the result gets bootstrap intervals; default true. `evaluation.replicates` says how many replicates. */
  readonly intervals?: boolean | undefined;
  /** Called with the events of the run. */
  readonly onEvent?: RunEventListener | undefined;
  /** When aborted, the run saves a checkpoint and stops. */
  readonly signal?: AbortSignal | undefined;
  /** Called after an epoch is validated, before its checkpoint is written; true stops the run. */
  readonly onEpoch?: ((epoch: EpochRecord) => boolean | Promise<boolean>) | undefined;
  /** Called when the run is evaluated, while its data is still open; `finished` is reported after it. */
  readonly onJudged?: ((folder: string, dataset: Dataset) => Promise<unknown>) | undefined;
}

export interface TrainingResult {
  readonly folder: string;
  /** Absent if the run was interrupted, and on ranks other than the first. */
  readonly summary?: RunSummary;
  /** Set on the other ranks of a finished run; the first has the summary. */
  readonly isFinishedElsewhere?: true;
}

export interface ActiveRun {
  readonly paths: RunPaths;
  readonly emit: RunEventListener;
  readonly note: (text: string) => void;
  readonly options: TrainOptions;
  /** The processes that train together; undefined for a single process. */
  readonly ranks: Ranks | undefined;
  lastCheckpoint: string | undefined;
  /** From now on, also writes events to the folder's events.jsonl and to the logs that the configuration names. */
  keepLog(configuration: Configuration): void;
  /** Waits, for a limited time, until the logs have written what they were told. */
  closeLogs(): Promise<void>;
}

/** With several ranks, only the first one reports events; the others report only failures. */
export function activeRun(folder: string, options: TrainOptions, ranks?: Ranks): ActiveRun {
  const paths = runPaths(folder);
  const isFirstRank = ranks?.isFirst ?? true;
  let listen: RunEventListener | undefined;
  let logs: readonly BackgroundLog[] = [];
  const emit: RunEventListener = (event) => {
    listen?.(event);
    for (const log of logs) log.listen(event);
    if (isFirstRank || event.type === 'failed') options.onEvent?.(event);
  };
  return {
    paths,
    emit,
    note: (text) => emit({ type: 'note', text }),
    options,
    ranks,
    lastCheckpoint: undefined,
    keepLog(configuration) {
      if (!isFirstRank || listen) return;
      listen = eventLog(paths.events);
      // Not an event of the run: a log that reports its own failure must not be told of it.
      const note = (text: string) => options.onEvent?.({ type: 'note', text });
      const finalScores = () => runScores(folder, 'test').catch(() => runScores(folder, 'validation'));
      const examples = () => readExamples(folder);
      logs = runLogs(folder, configuration.log, configuration, { note, finalScores, examples });
    },
    async closeLogs() {
      await Promise.all(logs.map((log) => log.close()));
    },
  };
}

/**
 * Does work on a run together with all of its ranks; an error is reported as an event before it is rethrown.
 */
export async function reportingFailure<T>(
  { paths, emit, ranks, closeLogs }: ActiveRun,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await failingTogether(ranks, work);
  } catch (error) {
    const first = firstError(error);
    const code = first instanceof UserError ? first.code : undefined;
    emit({ type: 'failed', run: paths.folder, message: messageOf(error), ...(code && { code }) });
    throw error;
  } finally {
    await closeLogs();
  }
}
