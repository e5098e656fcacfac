// Starts a new run.

import { mkdirSync, rmdirSync } from 'node:fs';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { Grouping } from '../data/dataset/dataset.js';
import { fromFirst } from '../distribution/exchange.js';
import { distributionOf, joinRanks } from '../distribution/ranks.js';
import {
  absolutePaths,
  createRunFolder,
  defaultRunFolder,
  type RunRecord,
  refuseOldRun,
  saveRunRecord,
} from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { activeRun, reportingFailure, type TrainingResult, type TrainOptions } from './activeRun.js';
import { datasetFingerprint, openRunData } from './dataForRun.js';
import { fitInput } from './fitInput.js';
import { followWeights } from './followWeights.js';
import { trainToEnd } from './loop.js';
import { checkRunAgreement, runVersions } from './runAgreement.js';
import { createSession } from './session.js';
import { startingWeights, withPreparation } from './startingWeights.js';
import { openTeacher } from './teacher.js';

/**
 * Trains with a configuration, and evaluates the result.
 *
 * @example
 * const { folder, summary } = await trainRun({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 * summary?.test?.metrics.mAP
 */
export async function trainRun(
  input: ConfigurationInput,
  options: TrainOptions = {},
): Promise<TrainingResult> {
  const { signal } = options;
  const ranks = await joinRanks();
  const followed = await followWeights({ ...input }, { onEvent: options.onEvent, signal });
  const configuration = await fitInput(absolutePaths(validateConfiguration(followed)), (text) =>
    options.onEvent?.({ type: 'note', text }),
  );
  const folder = options.run ?? (await fromFirst(ranks, () => defaultRunFolder(configuration)));
  const run = activeRun(folder, options, ranks);
  return reportingFailure(run, async () => {
    const weights = await startingWeights(configuration, run);
    const data = await openRunData(configuration, weights?.facts, run.note);
    try {
      if (ranks) await checkRunAgreement(ranks, configuration, data);
      const teacher = await openTeacher(configuration, data, run);
      if (ranks && !ranks.isFirst) {
        using session = createSession(configuration, data, { weights, teacher, ranks });
        return await trainToEnd(session, run);
      }
      mkdirSync(folder, { recursive: true });
      using _lock = lockRun(folder);
      refuseOldRun(folder); // before the network is built
      using session = createSession(configuration, data, { weights, teacher, ranks });
      saveRunRecord(createRunFolder(folder), {
        configuration: weights ? withPreparation(configuration, data) : configuration,
        versions: runVersions(),
        classes: data.dataset.classes,
        classImportance: data.dataset.classImportance,
        datasetFingerprint: datasetFingerprint(data.dataset),
        ...(data.dataset.groups && { groups: recordedGroups(data.dataset.groups) }),
        started: new Date().toISOString(),
        ...(ranks && { distribution: distributionOf(ranks) }),
      });
      run.keepLog(configuration);
      return await trainToEnd(session, run);
    } finally {
      await data.close();
      if (ranks?.isFirst !== false) removeEmpty(folder);
    }
  });
}

function recordedGroups({ column, names }: Grouping): RunRecord['groups'] {
  return { column, count: names.length };
}

/** Removes the folder if the run failed to start, so that it is not in the way of the next attempt. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // holds the run
  }
}
