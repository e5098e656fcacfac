import { checkLength } from '../arrays/rowMajor.js';
import { cutoffsOf } from '../decisions/decision.js';
import { type DecisionRows, prepareDecisionRows, sampleOf } from '../decisions/decisionRows.js';
import { checkRows, type FitDecisionOptions, ruleFitOf } from '../decisions/fitDecision.js';
import { fitRule, type RuleFit } from '../decisions/fitRule.js';
import { presenceScores } from '../decisions/presence.js';
import { type Multiplicities, presentRowsOf } from '../metrics/classCounts.js';
import { rankClasses } from '../metrics/rankedClasses.js';
import { checkScored, type Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { checkFit } from '../thresholds/fitThresholds.js';
import { fingerprintOf, refuseSameSplit } from '../thresholds/fittedThresholds.js';
import { type Interval, intervalOf } from './bootstrap.js';
import {
  type DecisionFigure,
  type DecisionFigures,
  decisionFigures,
  eachDecisionFigure,
  type JudgedRows,
} from './decisionFigures.js';
import { type Difference, differenceOf } from './difference.js';
import { checkBootstrap, draw } from './replicates.js';
import { checkSameRows } from './sameRows.js';

/** A model's scores on the split where its decision is fitted and on the one where it is judged. */
export interface DecidedModel {
  readonly validation: Scored;
  readonly test: Scored;
  /** How the decision is fitted. */
  readonly decision?: Omit<FitDecisionOptions, 'groups'>;
}

/** How to draw, and for how long. */
export interface DecisionBootstrapOptions {
  /** Stop once this many seconds have passed, but not before 100 replicates. Default 60. */
  readonly seconds?: number;
  /** At most so many replicates. Default 1000. */
  readonly replicates?: number;
  /** Default 0. */
  readonly seed?: number;
  /** The share of replicates inside an interval. Default 0.95. */
  readonly confidence?: number;
  /** Which rows belong together, such as a patient's: one code per row; groups are then drawn as a whole. */
  readonly validationGroups?: ArrayLike<number | string>;
  readonly testGroups?: ArrayLike<number | string>;
}

export interface DecisionBootstrap {
  /** How many replicates were run. */
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Each model's figures on the test split. */
  readonly models: readonly Readonly<Record<DecisionFigure, Interval | null>>[];
  /** By how much the figures of the second, third, … model exceed the first one's. */
  readonly differences: readonly Readonly<Record<DecisionFigure, Difference | null>>[];
}

const LEAST_REPLICATES = 100;

/**
 * How far models and their decisions differ, with intervals that know that decisions are fitted: each replicate draws
 * validation rows anew, fits every model's decision on them, and judges it on test rows drawn anew. All models share the
 * draws, so that what makes rows hard for all cancels.
 *
 * @example
 * const { differences } = decisionBootstrap([
 *   { validation: plain.validation, test: plain.test },
 *   { validation: better.validation, test: better.test },
 * ]);
 * differences[0]?.macroF1 // first, second, value, low, high, pValue
 * differences[0]?.falseAlarmRate
 */
export function decisionBootstrap(
  models: readonly DecidedModel[],
  options: DecisionBootstrapOptions = {},
): DecisionBootstrap {
  const { seconds = 60 } = options;
  const { replicates, seed, confidence } = checkBootstrap(options);
  if (!(seconds >= 0)) throw new RangeError(`seconds is ${seconds}; expected a number of at least 0`);
  checkModels(models);
  const prepared = models.map(prepareModel);
  const [first] = prepared;
  const random = new NumpyRandom(seed);
  const validation = drawer(random, first!.validation.rows, options.validationGroups, 'validationGroups');
  const test = drawer(random, first!.test.rows, options.testGroups, 'testGroups');
  const whole = prepared.map((model) => figuresOf(model, once(model.validation.rows), once(model.test.rows)));
  const drawn: DecisionFigures[][] = [];
  const start = Date.now();
  while (drawn.length < replicates) {
    if (drawn.length >= LEAST_REPLICATES && Date.now() - start >= 1000 * seconds) break;
    const [validationDraw, testDraw] = [validation(), test()];
    drawn.push(prepared.map((model) => figuresOf(model, validationDraw, testDraw)));
  }
  return {
    replicates: drawn.length,
    seed,
    confidence,
    models: whole.map((figures, m) =>
      eachDecisionFigure((name) => {
        const value = figures[name];
        const values = drawn.map((replicate) => replicate[m]![name]);
        return value === null ? null : intervalOf(value, values, confidence);
      }),
    ),
    differences: whole.slice(1).map((figures, m) =>
      eachDecisionFigure((name) =>
        differenceOf(
          whole[0]![name],
          figures[name],
          drawn.map((replicate) => [replicate[0]![name], replicate[m + 1]![name]]),
          confidence,
        ),
      ),
    ),
  };
}

interface PreparedModel {
  readonly validation: DecisionRows;
  readonly fit: RuleFit;
  readonly test: JudgedRows;
}

function prepareModel({ validation, test, decision = {} }: DecidedModel): PreparedModel {
  const rows = prepareDecisionRows(validation, 'many fits');
  const fit = ruleFitOf(rows, decision);
  checkRows(sampleOf(rows), fit, validation.split);
  const ranked = rankClasses(checkScored(test));
  const presence = presenceScores(ranked.scores, ranked.classNames.length);
  const presentRows = ranked.classes.map(presentRowsOf);
  return { validation: rows, fit, test: { ...ranked, presence, presentRows } };
}

function figuresOf(
  { validation, fit, test }: PreparedModel,
  validationDraw: Multiplicities,
  testDraw: Multiplicities,
): DecisionFigures {
  const fitted = fitRule(sampleOf(validation, validationDraw), fit);
  return decisionFigures(test, cutoffsOf(fitted), testDraw);
}

function once(rows: number): Multiplicities {
  return new Uint16Array(rows).fill(1);
}

/** Draws rows, or whole groups of them; each call writes to the same array. */
function drawer(
  random: NumpyRandom,
  rows: number,
  groups: ArrayLike<number | string> | undefined,
  name: string,
): () => Multiplicities {
  const multiplicities = new Uint16Array(rows);
  if (groups === undefined) {
    return () => {
      draw(random, multiplicities);
      return multiplicities;
    };
  }
  checkLength(name, groups.length, rows, 'one per row');
  const indexOf = new Map<number | string, number>();
  const groupOf = Array.from(groups, (group) => {
    const index = indexOf.get(group) ?? indexOf.size;
    indexOf.set(group, index);
    return index;
  });
  const drawnGroups = new Uint16Array(indexOf.size);
  return () => {
    draw(random, drawnGroups);
    for (let row = 0; row < rows; row++) multiplicities[row] = drawnGroups[groupOf[row]!]!;
    return multiplicities;
  };
}

function checkModels(models: readonly DecidedModel[]): void {
  const [first] = models;
  if (first === undefined || models.length < 2) {
    throw new RangeError(`models has ${models.length} entries; expected two or more to compare`);
  }
  for (const { validation, test } of models) {
    checkSameRows(first.validation, validation);
    checkSameRows(first.test, test);
    const split = checkFit(validation, 1);
    refuseSameSplit({ fittedOn: split, fingerprint: fingerprintOf(validation) }, test, 'decision was');
  }
}
