// Refits and evaluates decisions in every replicate.

import { type DecisionRows, prepareDecisionRows, sampleOf } from '../decisions/decisionRows.js';
import { checkRows, type FitDecisionOptions, ruleFitOf } from '../decisions/fitDecision.js';
import { fitRule, type RuleFit } from '../decisions/fitRule.js';
import { type Multiplicities, presentRowsOf, timesOf } from '../metrics/classCounts.js';
import { cutoffsOf } from '../metrics/decisionCutoffs.js';
import { fingerprintOf, refuseSameSplit } from '../metrics/fittedThresholds.js';
import { checkImportance, measurementAt } from '../metrics/measurement.js';
import { type RankedScores, rankClasses } from '../metrics/rankedClasses.js';
import { checkScored, presenceOf, type Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { checkFit } from '../thresholds/fitThresholds.js';
import { type PaperMetrics, paperMetricsAt } from './paperMetrics.js';
import { checkBootstrap, drawer } from './replicates.js';
import { checkSameRows } from './sameRows.js';
import type { SeedReplicates } from './seedBootstrap.js';

/** A model's scores on the split where its decision is fitted and on the split where it is evaluated. */
export interface DecidedModel {
  readonly validation: Scored;
  readonly test: Scored;
  /** How the decision is fitted. */
  readonly decision?: FitDecisionOptions;
}

/** How to draw, and for how long. */
export interface DecisionDrawOptions {
  /** Time limit in seconds; at least 100 replicates are run regardless. Default 60. */
  readonly seconds?: number;
  /** Maximum number of replicates. Default 1000. */
  readonly replicates?: number;
  readonly seed?: number;
  /** Class importance weights for F2-CIW. */
  readonly classImportance?: ArrayLike<number>;
  /** Called after each replicate. */
  readonly onReplicate?: () => void;
}

const LEAST_REPLICATES = 100;

/**
 * Returns every model's metrics in each replicate, which redraws validation rows, fits the model's decision on them, and
 * evaluates it on redrawn test rows; groups, if there are any, are drawn as a whole. All models share the draws: join a method's seeds with `joinSeeds`, and compare two
 * methods with `seedDifference`. mAP is null, since it does not depend on a decision.
 *
 * @example
 * const [plain, second, better] = bootstrapDecisions(
 *   [firstPlain, secondPlain, firstBetter].map(({ validation, test }) => ({ validation, test })),
 *   { seconds: 60 },
 * );
 * seedDifference(joinSeeds([plain!, second!]), better!).falseAlarmRate // first, second, value, low, high, pValue
 * plain!.replicates.length // how many were run
 */
export function bootstrapDecisions(
  models: readonly DecidedModel[],
  options: DecisionDrawOptions = {},
): SeedReplicates[] {
  const { seconds = 60, classImportance, onReplicate } = options;
  const { replicates, seed } = checkBootstrap(options);
  if (!(seconds >= 0)) throw new RangeError(`seconds is ${seconds}; expected a number of at least 0`);
  checkModels(models);
  if (classImportance !== undefined) checkImportance(classImportance, models[0]!.test.classNames);
  const prepared = models.map((model) => prepareModel(model, classImportance));
  const [first] = prepared;
  const random = new NumpyRandom(seed);
  const validation = drawer(random, first!.validation);
  const test = drawer(random, first!.test);
  const drawn = prepared.map((): PaperMetrics[] => []);
  const start = Date.now();
  for (let replicate = 0; replicate < replicates; replicate++) {
    if (replicate >= LEAST_REPLICATES && Date.now() - start >= 1000 * seconds) break;
    const [validationDraw, testDraw] = [validation(), test()];
    prepared.forEach((model, m) => {
      drawn[m]!.push(metricsOf(model, validationDraw, testDraw));
    });
    onReplicate?.();
  }
  return prepared.map((model, m) => {
    const value = metricsOf(model, once(model.validation.rows), once(model.test.rows));
    return { models: [value], value, replicates: drawn[m]! };
  });
}

interface PreparedModel {
  readonly validation: DecisionRows;
  readonly fit: RuleFit;
  readonly test: RankedScores;
  readonly testPresence: Float64Array;
  /** The test rows in which each class is present. */
  readonly presentRows: readonly Uint32Array[];
  readonly classImportance: ArrayLike<number> | undefined;
}

function prepareModel(
  { validation, test, decision = {} }: DecidedModel,
  classImportance: ArrayLike<number> | undefined,
): PreparedModel {
  const rows = prepareDecisionRows(validation);
  const fit = ruleFitOf(rows, decision);
  checkRows(sampleOf(rows), fit, validation.split);
  const ranked = rankClasses(checkScored(test));
  return {
    validation: rows,
    fit,
    test: ranked,
    testPresence: presenceOf(ranked),
    presentRows: ranked.classes.map(presentRowsOf),
    classImportance,
  };
}

function metricsOf(
  { validation, fit, test, testPresence, presentRows, classImportance }: PreparedModel,
  validationDraw: Multiplicities,
  testDraw: Multiplicities,
): PaperMetrics {
  const cutoffs = cutoffsOf(fitRule(sampleOf(validation, validationDraw), fit));
  const setting = { ...measurementAt(test, cutoffs, testPresence), classImportance };
  const present = presentRows.map((rows) => timesOf(rows, testDraw));
  return { ...paperMetricsAt(setting, present, testDraw), mAP: null };
}

function once(rows: number): Multiplicities {
  return new Uint16Array(rows).fill(1);
}

function checkModels(models: readonly DecidedModel[]): void {
  const [first] = models;
  if (first === undefined) throw new RangeError('models is empty; expected one or more');
  for (const { validation, test } of models) {
    checkSameRows(first.validation, validation);
    checkSameRows(first.test, test);
    const split = checkFit(validation, 1);
    refuseSameSplit({ fittedOn: split, fingerprint: fingerprintOf(validation) }, test, 'decision was');
  }
}
