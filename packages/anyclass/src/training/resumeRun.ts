// Resumes a run where it stopped.

import { existsSync, statSync } from 'node:fs';
import { fromFirst } from '../distribution/exchange.js';
import { joinRanks, type Ranks } from '../distribution/ranks.js';
import { counted } from '../errors/counted.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { RunSummary } from '../events/runSummary.js';
import { readKnownRows } from '../runs/knownRows.js';
import { keepEpochs } from '../runs/metricsLog.js';
import { loadModel } from '../runs/modelFile.js';
import { makeInnerFolders, openRun, type RunRecord } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { fittingSplit, runScores } from '../runs/runScores.js';
import { readSummary } from '../runs/summary.js';
import {
  type ActiveRun,
  activeRun,
  reportingFailure,
  type TrainingResult,
  type TrainOptions,
} from './activeRun.js';
import { type Checkpoint, removePartial, takeNewestCheckpoint } from './checkpoint.js';
import { datasetFingerprint, openRunData, type RunData } from './dataForRun.js';
import { trainToEnd } from './loop.js';
import { checkRunAgreement } from './runAgreement.js';
import { createSession } from './session.js';
import { restoreSession } from './sessionCheckpoint.js';
import { sharedCheckpoint } from './sharedCheckpoint.js';
import { startingWeights } from './startingWeights.js';
import { openTeacher } from './teacher.js';

/**
 * Resumes a run from its newest complete checkpoint, as if it had never stopped. Leaves a finished run alone.
 *
 * @example
 * await resumeRun('runs/sewer');
 */
export async function resumeRun(
  folder: string,
  options: Omit<TrainOptions, 'run'> = {},
): Promise<TrainingResult> {
  const ranks = await joinRanks();
  const run = activeRun(folder, options, ranks);
  return reportingFailure(run, async () => {
    if (ranks && !ranks.isFirst) return help(run, ranks);
    const { paths, record } = openRun(folder);
    using _lock = lockRun(folder);
    makeInnerFolders(paths);
    run.keepLog(record.configuration);
    const summary = await writtenResult(run);
    // The other ranks need not see the folder.
    await fromFirst<RunRecord | null>(ranks, () => (summary ? null : record));
    if (summary && existsSync(paths.report)) {
      const written = statSync(paths.report).mtime.toISOString().slice(0, 10);
      return finished(run, summary, `; report.html is of ${written}: delete it and resume to write it anew`);
    }
    const data = await openRunData(record.configuration, {}, run.note);
    try {
      if (!summary) return await continueFrom(run, record, data);
      await options.onJudged?.(folder, data.dataset);
      return finished(run, summary);
    } finally {
      await data.close();
    }
  });
}

/** What ranks other than the first do: they train with what the first has read. */
async function help(run: ActiveRun, ranks: Ranks): Promise<TrainingResult> {
  const record = await fromFirst<RunRecord | null>(ranks, () => null);
  if (!record) return { folder: run.paths.folder, isFinishedElsewhere: true };
  const data = await openRunData(record.configuration);
  try {
    await checkRunAgreement(ranks, record.configuration, data);
    const checkpoint = await sharedCheckpoint(ranks, undefined);
    const weights = checkpoint ? undefined : await startingWeights(record.configuration, run);
    const teacher = await openTeacher(record.configuration, data, run);
    using session = createSession(record.configuration, data, { weights, teacher, ranks });
    if (checkpoint) restoreSession(session, checkpoint);
    return await trainToEnd(session, run);
  } finally {
    await data.close();
  }
}

async function continueFrom(run: ActiveRun, record: RunRecord, data: RunData): Promise<TrainingResult> {
  const { folder, checkpoints, metrics } = run.paths;
  const { ranks } = run;
  if (ranks) await checkRunAgreement(ranks, record.configuration, data);
  if (record.soup)
    throw new UserError(
      `${folder}: a soup has no training to resume; average its runs again in another folder`,
    );
  if (datasetFingerprint(data.dataset) !== record.datasetFingerprint) {
    throw new UserError(
      `${folder}: the data changed since the run started; a run can only resume with the same data`,
    );
  }
  for (const name of removePartial(checkpoints)) run.note(`Removed ${name}, which was incomplete`);
  const { checkpoint, path, skipped } = takeNewestCheckpoint(checkpoints);
  for (const reason of skipped) run.note(`Skipped ${reason}`);
  // A checkpoint has all weights; the file that the run started from may be gone.
  await sharedCheckpoint(ranks, checkpoint);
  const weights = checkpoint ? undefined : await startingWeights(record.configuration, run);
  const teacher = await openTeacher(record.configuration, data, run);
  using session = createSession(record.configuration, data, { weights, teacher, ranks });
  tellOfRanks(run, checkpoint);
  if (checkpoint) restoreSession(session, checkpoint);
  else run.note('No usable checkpoint; starting over');
  keepEpochs(metrics, session.progress.epoch);
  run.lastCheckpoint = path;
  return await trainToEnd(session, run);
}

/** Notes a changed number of ranks: sums are rounded differently when they are split differently. */
function tellOfRanks({ ranks, note }: ActiveRun, checkpoint: Checkpoint | undefined): void {
  const before = checkpoint?.state.worldSize ?? 1;
  const now = ranks?.worldSize ?? 1;
  if (!checkpoint || before === now) return;
  note(
    `The checkpoint was written by ${counted(before, 'process')} and resumes on ${counted(now, 'process')}: the order of the images is the same, and results agree up to rounding`,
  );
}

function finished(run: ActiveRun, summary: RunSummary, remark = ''): TrainingResult {
  const { folder } = run.paths;
  run.note(`${folder}: the run is finished; the test split is evaluated only once${remark}`);
  run.emit({ type: 'finished', run: folder, summary });
  return { folder, summary };
}

/** The summary of a run; undefined if it is not finished, or its model or scores can no longer be read. */
async function writtenResult({ paths, note }: ActiveRun): Promise<RunSummary | undefined> {
  if (!existsSync(paths.summary)) return undefined;
  try {
    const summary = readSummary(paths);
    loadModel(paths.model).network.dispose();
    await runScores(paths.folder, 'validation');
    await runScores(paths.folder, fittingSplit(paths));
    if (summary.test) await runScores(paths.folder, 'test');
    await readKnownRows(paths.folder);
    return summary;
  } catch (error) {
    note(`${reasonOf(error)}: evaluating the run again`);
    return undefined;
  }
}
