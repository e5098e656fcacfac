import { type Interval, intervalOf } from './bootstrap.js';
import { bootstrapDecisions, type DecidedModel, type DecisionDrawOptions } from './decisionReplicates.js';
import type { Difference } from './difference.js';
import type { PaperFigure } from './paperFigures.js';
import { checkBootstrap } from './replicates.js';
import { seedDifference } from './seedBootstrap.js';

/** How to draw, for how long, and how sure to be. */
export interface DecisionBootstrapOptions extends DecisionDrawOptions {
  /** The share of replicates inside an interval. Default 0.95. */
  readonly confidence?: number;
}

/** What a decision is compared by. */
export type DecisionFigure = Exclude<PaperFigure, 'mAP'>;

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

/**
 * How far models and their decisions differ, with intervals that know that decisions are fitted: each replicate draws
 * validation rows anew, fits every model's decision on them, and evaluates it on test rows redrawn. All models share the
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
  const { seed, confidence } = checkBootstrap(options);
  if (models.length < 2) {
    throw new RangeError(`models has ${models.length} entries; expected two or more to compare`);
  }
  const drawn = bootstrapDecisions(models, options);
  const [first] = drawn;
  return {
    replicates: first!.replicates.length,
    seed,
    confidence,
    models: drawn.map(({ value, replicates }) =>
      eachDecisionFigure((figure) => {
        const values = replicates.map((replicate) => replicate[figure]);
        return value[figure] === null ? null : intervalOf(value[figure], values, confidence);
      }),
    ),
    differences: drawn.slice(1).map((model) => {
      const difference = seedDifference(first!, model, confidence);
      return eachDecisionFigure((figure) => difference[figure]);
    }),
  };
}

/** Something for each of the figures. */
function eachDecisionFigure<Value>(of: (figure: DecisionFigure) => Value): Record<DecisionFigure, Value> {
  return {
    macroF1: of('macroF1'),
    macroF2: of('macroF2'),
    f2Ciw: of('f2Ciw'),
    f1Neg: of('f1Neg'),
    falseAlarmRate: of('falseAlarmRate'),
  };
}
