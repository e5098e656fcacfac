import { softplus } from '../losses/logisticTerms.js';
import { checkScored, type Scored, UNKNOWN } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { type Calibration, calibrate } from './calibrate.js';
import { fitPlatt } from './plattScaling.js';
import { checkProbabilities, probabilityLogits } from './probabilityLogits.js';
import { fitTemperature } from './temperatureScaling.js';

/** Which calibration to try, and how to validate it. */
export interface ChooseCalibrationOptions {
  /** Default `temperature`. */
  readonly method?: Calibration['kind'];
  /** Number of cross-validation folds. Default 5. */
  readonly folds?: number;
  /** Seed for assigning rows to folds. Default 0. */
  readonly seed?: number;
}

/** A calibration, if it helps. */
export interface CalibrationChoice {
  /** Fitted on all rows; undefined if it does not improve the log loss on held-out rows, or if they have no best temperature. */
  readonly calibration: Calibration | undefined;
  /**
   * Mean log loss over all known labels, without calibration and with one like that returned but fitted on the other
   * folds. If none is returned, `calibrated` is the loss of the one that is not used.
   */
  readonly logLoss: { readonly uncalibrated: number; readonly calibrated: number };
  /** Classes that are not calibrated. */
  readonly unchangedClasses: readonly string[];
}

/**
 * Calibrates only if it improves cross-validated log loss: temperature scaling for all classes or none, Platt scaling
 * class by class. Rows of one group are in one fold. A temperature at its bound is not used: labels that few rows separate perfectly
 * would turn every probability into 0 or 1.
 *
 * @example
 * const { calibration } = chooseCalibration(validation, { method: 'platt' });
 * const scores = calibration ? calibrate(test.scores, test.classNames, calibration) : test.scores;
 */
export function chooseCalibration(
  validation: Scored,
  options: ChooseCalibrationOptions = {},
): CalibrationChoice {
  const { method = 'temperature', folds = 5, seed = 0 } = options;
  const { rows, classNames, scores, labels, grouping } = checkScored(validation);
  checkProbabilities(scores, classNames);
  const units = grouping?.names.length ?? rows;
  if (!Number.isInteger(folds) || folds < 2 || folds > units) {
    const what = grouping ? 'groups' : 'rows';
    throw new RangeError(`folds is ${folds}; expected an integer from 2 to the number of ${what}, ${units}`);
  }
  const fit = method === 'temperature' ? fitTemperature : fitPlatt;
  const unitOf = (row: number) => grouping?.codes[row] ?? row;
  const order = new NumpyRandom(seed).permutation(units);
  const foldOf = new Int32Array(units);
  order.forEach((unit, k) => {
    foldOf[unit] = k % folds;
  });
  const rowOrder = grouping ? Int32Array.from({ length: rows }, (_, row) => row) : order;
  const { before, after } = crossValidate(validation, fit, rowOrder, folds, (row) => foldOf[unitOf(row)]!);
  const whole = fit(validation);
  const isAtBound = whole.kind === 'temperature' && whole.atBound;
  const improves = (j: number) =>
    method === 'temperature' ? !isAtBound && total(after) < total(before) : after[j]! < before[j]!;
  const unchangedClasses = classNames.filter((_, j) => !improves(j));
  const isKept = unchangedClasses.length < classNames.length;
  const known = labels.reduce((count, label) => count + (label === UNKNOWN ? 0 : 1), 0);
  const calibrated = isKept ? after.map((loss, j) => (improves(j) ? loss : before[j]!)) : after;
  return {
    calibration: isKept ? withoutClasses(whole, improves) : undefined,
    logLoss: { uncalibrated: total(before) / known, calibrated: total(calibrated) / known },
    unchangedClasses,
  };
}

/** Returns each class's total log loss, without calibration and with one fitted on the other folds. */
function crossValidate(
  validation: Scored,
  fit: (scored: Scored) => Calibration,
  order: Int32Array,
  folds: number,
  foldOf: (row: number) => number,
) {
  const { classNames } = validation;
  const before = new Float64Array(classNames.length);
  const after = new Float64Array(classNames.length);
  for (let fold = 0; fold < folds; fold++) {
    const held = takeRows(
      validation,
      order.filter((row) => foldOf(row) === fold),
    );
    const calibration = fit(
      takeRows(
        validation,
        order.filter((row) => foldOf(row) !== fold),
      ),
    );
    addLogLosses(before, held);
    addLogLosses(after, { ...held, scores: calibrate(held.scores, classNames, calibration) });
  }
  return { before, after };
}

function withoutClasses(calibration: Calibration, improves: (j: number) => boolean): Calibration {
  if (calibration.kind === 'temperature') return calibration;
  return {
    ...calibration,
    slopes: calibration.slopes.map((slope, j) => (improves(j) ? slope : 1)),
    intercepts: calibration.intercepts.map((intercept, j) => (improves(j) ? intercept : 0)),
  };
}

function takeRows({ scores, targets, classNames }: Scored, order: Int32Array): Scored {
  const classes = classNames.length;
  const pick = (values: ArrayLike<number>) => {
    const picked = new Float64Array(order.length * classes);
    order.forEach((row, at) => {
      for (let j = 0; j < classes; j++) picked[at * classes + j] = values[row * classes + j]!;
    });
    return picked;
  };
  return { scores: pick(scores), targets: pick(targets), classNames };
}

function addLogLosses(losses: Float64Array, scored: Scored): void {
  const { labels } = checkScored(scored);
  probabilityLogits(scored.scores).forEach((logit, i) => {
    const j = i % losses.length;
    if (labels[i] !== UNKNOWN) losses[j] = losses[j]! + softplus(logit) - labels[i]! * logit;
  });
}

function total(losses: Float64Array): number {
  return losses.reduce((sum, loss) => sum + loss, 0);
}
