// The rows that a decision is refitted on: images of a dataset, saved scores, or the audited lines of a log.

import { dirname } from 'node:path';
import { datasetName, parseDataset } from '../data/datasetSpec.js';
import { UserError } from '../errors/userError.js';
import { type EvaluateOptions, evaluate } from '../evaluation/evaluate.js';
import { isOwnByName, isOwnData } from '../evaluation/runSettings.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { isRunFolder } from '../runs/runFolder.js';
import { savedCalibration } from '../runs/savedCalibration.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { auditedRows } from './auditedRows.js';
import type { RowsToFit } from './rowsToFit.js';

/** One of: a dataset, which the model scores; scores that it gave before, with their labels; logs of a server, with labels. */
export interface RefitData
  extends Pick<
    EvaluateOptions,
    | 'device'
    | 'precision'
    | 'batchSize'
    | 'open'
    | 'preparation'
    | 'strict'
    | 'allowPartial'
    | 'cache'
    | 'onEvent'
  > {
  /** DATASET; all of its labeled rows are used. */
  readonly dataset?: string | undefined;
  /** The split to use: of the model's own data only `test`, which chose nothing; of other data all rows by default. */
  readonly split?: 'test' | 'all' | undefined;
  /** Probabilities of this model, as `evaluate` and `predict` write them, or the scores of a run. */
  readonly scores?: string | undefined;
  /** Labels for `scores`, or for `logs`. */
  readonly labels?: string | undefined;
  /** Column of `labels` with the group of each row, for `scores`. */
  readonly groupColumn?: string | undefined;
  /** Logs of predictions, as `serve` writes them. */
  readonly logs?: readonly string[] | undefined;
  /** Leaves out the lines of `logs` before this one, by its place in all of them from 1, or before this time. */
  readonly from?: number | Date | undefined;
}

/** Whether any rows are named. */
export function hasRows({ dataset, scores, logs }: RefitData): boolean {
  return dataset !== undefined || scores !== undefined || (logs?.length ?? 0) > 0;
}

/** Reads or computes the rows of a refit. */
export async function refitRows(
  model: string,
  description: ModelDescription,
  data: RefitData,
): Promise<RowsToFit> {
  const { dataset, scores, labels, logs } = data;
  const given = [dataset, scores, logs?.length ? logs : undefined].filter((each) => each !== undefined);
  if (given.length !== 1) throw new UserError('give a dataset, or scores, or logs, one of them');
  if (dataset !== undefined) return datasetRows(model, dataset, description, data);
  if (labels === undefined) throw new UserError('scores and logs need labels');
  return scores === undefined
    ? auditedRows(logs ?? [], labels, description, data.from)
    : scoreRows(scores, labels, description, data);
}

async function datasetRows(
  model: string,
  dataset: string,
  description: ModelDescription,
  { split, ...data }: RefitData,
): Promise<RowsToFit> {
  const isOwn = isOwnData(model, dataset, description);
  if (isOwn && split !== 'test' && (split === undefined || isRunFolder(model))) {
    throw isOwnByName(model, dataset, description)
      ? new UserError(
          `${dataset} has the name of the data that the model was trained on; if it is that, refit on its split test, otherwise on the split all`,
          { setting: 'split=all' },
        )
      : new UserError(
          `${dataset} is the data that the model was trained on; refit it on rows that it does not know, or on the split test`,
        );
  }
  const { scored, names, shared } = await evaluate(model, dataset, {
    ...data,
    split: split ?? 'all',
    replicates: 0,
  });
  const name = datasetName(parseDataset(dataset));
  return {
    name,
    names,
    shared,
    // A name of its own: decisions are not judged on the split they were fitted on.
    scored: { ...scored, split: isOwn || split === 'test' ? `${name}, test` : name },
    hasClasses: true,
    isNegative: [],
    remarks: [],
  };
}

async function scoreRows(
  scores: string,
  labels: string,
  { classes }: ModelDescription,
  { groupColumn }: RefitData,
): Promise<RowsToFit> {
  const table = await readTable(labels, { groupColumn });
  const joined = joinTables(await readTable(scores), table, datasetName(parseDataset(labels)));
  if (joined.classNames.join('\n') !== classes.join('\n')) {
    throw new UserError(
      `${labels} has the classes ${joined.classNames.join(', ')}; expected those of the model in its order: ${classes.join(', ')}`,
    );
  }
  return {
    name: datasetName(parseDataset(labels)),
    names: table.names,
    // Scores of a run are the network's own, with the calibration beside them; others come calibrated.
    scored: calibratedScores(
      { ...joined, scores: Float32Array.from(joined.scores) },
      savedCalibration(dirname(scores)),
    ),
    hasClasses: true,
    isNegative: [],
    remarks: [],
  };
}
