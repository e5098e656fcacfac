// Finishes a run: selects the best weights, and scores validation, the rows held back for the decision, and once the test split.

import { join } from 'node:path';
import { rowContents } from '../data/lookAlikes/rowContents.js';
import { copyFromFirstNow, fromFirst, gatherLists } from '../distribution/exchange.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { RunSummary } from '../events/runSummary.js';
import { createScorer } from '../inference/scorer.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import type { KnownRows } from '../runs/knownRows.js';
import { readEpochs } from '../runs/metricsLog.js';
import { loadModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import type { ActiveRun } from './activeRun.js';
import { saveEpochWeights } from './bestWeights.js';
import type { RunData } from './dataForRun.js';
import { metricValue } from './progress.js';
import { runGuard } from './runGuard.js';
import { type ChosenModel, type EndScores, writeResults } from './runResults.js';
import { dropCheckpoints } from './savedState.js';
import { judgedNetwork, type Session } from './session.js';
import { scoreSplit } from './validate.js';

/**
 * Evaluates the weights of a run and writes the model, scores and summary. Every rank calls this: each scores
 * its share, and the first alone writes and returns the summary.
 */
export async function finishRun(session: Session, run: ActiveRun): Promise<RunSummary | undefined> {
  const isFirst = run.ranks?.isFirst !== false;
  const chosen = isFirst ? chosenModel(session, run) : undefined;
  try {
    const scores = await scoreAtEnd(session, run, chosen);
    if (!chosen) return undefined;
    // The first rank alone: nothing of it is exchanged.
    const guard = await runGuard(session, chosen.model.network, run);
    const known = await knownRows(session.data);
    const testContents = scores.test && (await rowContents(session.data.dataset, scores.test.rows));
    const summary = writeResults(session, run, chosen, { ...scores, guard, known, testContents });
    // If the best weights are lost, only the checkpoints have any.
    if (!chosen.isLastInstead) dropCheckpoints(session, run);
    return summary;
  } finally {
    chosen?.model.network.dispose();
  }
}

/** The rows that the model is trained on, chosen by, or decides by. */
async function knownRows({ dataset, trainingRows }: RunData): Promise<KnownRows> {
  const { names, groups, splits } = dataset;
  const rows = Int32Array.from([...trainingRows, ...splits.validation, ...splits.decision]);
  return {
    names: Array.from(rows, (row) => names.at(row)),
    hashes: await rowContents(dataset, rows),
    groups: groups && Array.from(rows, (row) => groups.names[groups.codes[row]!]!),
  };
}

/**
 * Scores validation and test. All that the ranks exchange at the end of a run is here, because ranks that do
 * not take the same steps wait for each other forever.
 */
async function scoreAtEnd(
  session: Session,
  run: ActiveRun,
  chosen: ChosenModel | undefined,
): Promise<EndScores> {
  const { configuration, data, settings, evaluationBatch, validated } = session;
  const { ranks } = run;
  const epoch = await fromFirst(ranks, () => chosen?.best.epoch);
  const network = chosen?.model.network ?? judgedNetwork(session);
  if (chosen) moveNetwork(network, settings.device);
  if (ranks) copyFromFirstNow(ranks, network.stateDict().values());
  const scorer = chosen
    ? createScorer(network, { ...settings, input: data.input, batchSize: evaluationBatch })
    : session.scorer;
  const isTested = configuration.evaluation.test && data.dataset.splits.test.length > 0;
  // The last epoch's weights are those that its validation scored.
  const known = validated && validated.epoch === epoch ? validated.scores : undefined;
  return {
    validation: known ?? (await scoreSplit(session, 'validation', run, scorer)),
    decision:
      data.dataset.splits.decision.length > 0
        ? await scoreSplit(session, 'decision', run, scorer)
        : undefined,
    test: isTested ? await scoreSplit(session, 'test', run, scorer) : undefined,
    quarantinedInTraining: ranks
      ? await gatherLists(ranks, session.loader.quarantined())
      : session.loader.quarantined(),
    margins: session.hasLastWeights ? session.margins?.means() : undefined,
  };
}

/**
 * The model of the last epoch if that is to be kept; otherwise of the best one, or of the last one if no best
 * epoch is known or its weights are lost.
 */
function chosenModel(session: Session, { paths, note }: ActiveRun): ChosenModel {
  const { progress, configuration, hasLastWeights } = session;
  const { bestBy } = configuration;
  const isLastKept = configuration.finalWeights === 'last';
  const best = progress.best[bestBy];
  try {
    if (isLastKept) return lastModel(session, paths, false);
    if (best) return { best, model: loadModel(join(paths.checkpoints, best.file)), isLastInstead: false };
    note(`${bestBy} was not defined on the validation split in any epoch; evaluating the last epoch`);
  } catch (error) {
    if (!hasLastWeights)
      throw new UserError(
        `${reasonOf(error)}. The run had finished and kept no other weights; train again in another folder`,
        { cause: error },
      );
    note(`${reasonOf(error)}; evaluating the last epoch instead`);
  }
  return lastModel(session, paths, true);
}

function lastModel(session: Session, paths: RunPaths, isLastInstead: boolean): ChosenModel {
  const { progress, configuration } = session;
  const { epoch } = progress;
  const file = saveEpochWeights(session, paths, epoch);
  const record = readEpochs(paths.metrics).at(-1);
  const value =
    record &&
    metricValue(
      { metrics: record.validation, loss: record.validationLoss, bce: record.validationBce },
      configuration.bestBy,
    );
  return {
    best: { epoch, value: value ?? null, file },
    model: loadModel(join(paths.checkpoints, file)),
    isLastInstead,
  };
}
