import { checkLength } from '../arrays/rowMajor.js';
import {
  type Cutoffs,
  checkDecisionClasses,
  checkPresenceSource,
  cutoffsOf,
  type DecisionCutoffs,
  refuseFittedSplit,
} from './decisionCutoffs.js';
import { type FittedThresholds, refuseSameSplit } from './fittedThresholds.js';
import { outcomeCode, ROW_ALARM, ROW_CLEAR } from './outcomes.js';
import { entriesAtLeast, type RankedScores, rankClasses } from './rankedClasses.js';
import { areSameClasses, type CheckedScores, checkScored, presenceOf, type Scored } from './scored.js';

export interface MeasureOptions {
  /**
   * A class is predicted if its score is at least this: one number, one per class, or the result of `fitThresholds` or
   * `fitDecision`. Default 0.5. Compared in the precision of the scores: 0.7 predicts a float32 score of 0.7.
   */
  readonly threshold?: number | readonly number[] | FittedThresholds | DecisionCutoffs;
  /** Evaluate fitted thresholds or a decision even on the data of the fit. Default false. */
  readonly allowSameSplit?: boolean;
  /** Class importance weights for F2-CIW. */
  readonly classImportance?: ArrayLike<number>;
}

/** Everything about scores and thresholds that does not depend on how often each row counts. */
export interface Measurement {
  readonly ranked: RankedScores;
  readonly thresholds: readonly number[];
  /** For each class, how many of its ranked entries are predicted if their row passes. */
  readonly predicted: readonly number[];
  /** 1 where a row passes the gate; undefined if every row does. */
  readonly passes: Uint8Array | undefined;
  /** What is said about each row: 1 if it has a predicted class, plus twice the code of its outcome. */
  readonly rowStates: Uint8Array;
  readonly classImportance: ArrayLike<number> | undefined;
}

/** Rows with what is said about them. */
export interface StatedRows extends Pick<Measurement, 'rowStates'> {
  readonly ranked: Pick<CheckedScores, 'rows' | 'rowKinds'>;
}

/** What predictions are based on. */
export type Threshold = NonNullable<MeasureOptions['threshold']>;

/** Checks and ranks scores, and applies a threshold. */
export function prepareMeasurement(scored: Scored, options: MeasureOptions): Measurement {
  const { threshold = 0.5, ...shared } = options;
  return prepareMeasurements(scored, [threshold], shared)[0]!;
}

/** Does the same for several threshold settings; the scores are ranked once. */
export function prepareMeasurements(
  scored: Scored,
  thresholds: readonly Threshold[],
  options: Omit<MeasureOptions, 'threshold'>,
): Measurement[] {
  const { classImportance, allowSameSplit = false } = options;
  const checked = checkScored(scored);
  if (classImportance !== undefined) checkImportance(classImportance, checked.classNames);
  const settings = thresholds.map((threshold) => cutoffsFor(scored, threshold, allowSameSplit));
  const ranked = rankClasses(checked);
  const presence = settings.some((cutoffs) => cutoffs.presence > 0 || cutoffs.outcome !== undefined)
    ? presenceOf(checked)
    : undefined;
  return settings.map((cutoffs) => ({ ...measurementAt(ranked, cutoffs, presence), classImportance }));
}

/** What is said about each row, without ranking the scores. */
export function prepareRowStates(
  scored: Scored,
  { threshold = 0.5, allowSameSplit = false }: Pick<MeasureOptions, 'threshold' | 'allowSameSplit'>,
): StatedRows {
  const checked = checkScored(scored);
  const cutoffs = cutoffsFor(scored, threshold, allowSameSplit);
  const presence = cutoffs.presence > 0 || cutoffs.outcome !== undefined ? presenceOf(checked) : undefined;
  return { ranked: checked, rowStates: statesAt(checked, cutoffs, presence).rowStates };
}

/** Applies a gate and thresholds to ranked scores; without presence scores, every row passes. */
export function measurementAt(
  ranked: RankedScores,
  cutoffs: Cutoffs,
  presence: Float64Array | undefined,
): Measurement {
  const { inPrecision, passes, rowStates } = statesAt(ranked, cutoffs, presence);
  return {
    ranked,
    thresholds: cutoffs.thresholds,
    predicted: inPrecision.map((threshold, j) => entriesAtLeast(ranked, j, threshold)),
    passes,
    rowStates,
    classImportance: undefined,
  };
}

function statesAt(checked: CheckedScores, cutoffs: Cutoffs, presence: Float64Array | undefined) {
  const { thresholds } = cutoffs;
  const inPrecision = checked.scores instanceof Float32Array ? thresholds.map(Math.fround) : thresholds;
  const passes =
    presence === undefined || cutoffs.presence === 0 ? undefined : passingRows(presence, cutoffs.presence);
  const predicted = rowsWithPrediction(checked, inPrecision, passes);
  return { inPrecision, passes, rowStates: rowStates(predicted, cutoffs, presence) };
}

function passingRows(presence: Float64Array, least: number): Uint8Array {
  const passes = new Uint8Array(presence.length);
  for (let row = 0; row < presence.length; row++) passes[row] = Number(presence[row]! >= least);
  return passes;
}

function cutoffsFor(scored: Scored, threshold: Threshold, allowSameSplit: boolean): Cutoffs {
  if (typeof threshold !== 'object' || !('rule' in threshold)) {
    return { presence: 0, thresholds: thresholdsOf(scored, threshold, allowSameSplit) };
  }
  checkDecisionClasses(threshold, scored.classNames);
  checkPresenceSource(threshold, scored.presence !== undefined);
  if (!allowSameSplit) refuseFittedSplit(threshold, scored);
  return cutoffsOf(threshold);
}

function thresholdsOf(
  scored: Scored,
  threshold: number | readonly number[] | FittedThresholds,
  allowSameSplit: boolean,
): readonly number[] {
  const { classNames } = scored;
  if (typeof threshold === 'number') {
    if (Number.isNaN(threshold)) throw new RangeError('threshold is NaN; expected a number');
    return classNames.map(() => threshold);
  }
  if ('fittedOn' in threshold) {
    if (!areSameClasses(threshold.classNames, classNames)) {
      throw new RangeError(
        `the thresholds are for the classes ${threshold.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
      );
    }
    if (!allowSameSplit) refuseSameSplit(threshold, scored);
    return threshold.values;
  }
  checkLength('threshold', threshold.length, classNames.length, 'one per class');
  threshold.forEach((value, j) => {
    if (Number.isNaN(value))
      throw new RangeError(`threshold of class ${classNames[j]} is NaN; expected a number`);
  });
  return threshold;
}

/** Throws unless there is one valid weight per class. */
export function checkImportance(importance: ArrayLike<number>, classNames: readonly string[]): void {
  checkLength('classImportance', importance.length, classNames.length, 'one per class');
  let total = 0;
  for (let j = 0; j < importance.length; j++) {
    const weight = importance[j]!;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `classImportance of ${classNames[j]} is ${weight}; expected a finite number of at least 0`,
      );
    }
    total += weight;
  }
  if (total === 0) throw new RangeError('classImportance is 0 for every class; expected one or more above 0');
}

function rowsWithPrediction(
  { scores, rows }: CheckedScores,
  thresholds: readonly number[],
  passes: Uint8Array | undefined,
): Uint8Array {
  const classes = thresholds.length;
  const predicted = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    if (passes !== undefined && passes[row] === 0) continue;
    const from = row * classes;
    for (let j = 0; j < classes; j++) {
      if (!(scores[from + j]! >= thresholds[j]!)) continue;
      predicted[row] = 1;
      break;
    }
  }
  return predicted;
}

/** A row alarms by its presence score if the decision has a gate, otherwise if a class is predicted. */
function rowStates(
  predicted: Uint8Array,
  { outcome }: Cutoffs,
  presence: Float64Array | undefined,
): Uint8Array {
  if (outcome === undefined || presence === undefined) {
    return predicted.map((isPredicted) => isPredicted + 2 * (isPredicted === 1 ? ROW_ALARM : ROW_CLEAR));
  }
  const states = new Uint8Array(predicted.length);
  for (let row = 0; row < states.length; row++)
    states[row] = predicted[row]! + 2 * outcomeCode(presence[row]!, outcome);
  return states;
}
