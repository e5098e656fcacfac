import { type Interval, intervalOf } from './bootstrap.js';
import { bootstrapDecisions, type DecidedModel, type DecisionDrawOptions } from './decisionReplicates.js';
import type { Difference } from './difference.js';
import type { PaperMetric } from './paperMetrics.js';
import { checkBootstrap } from './replicates.js';
import { seedDifference } from './seedBootstrap.js';

/** How to draw, for how long, and the confidence level. */
export interface DecisionBootstrapOptions extends DecisionDrawOptions {
  /** Confidence level: the share of replicates inside an interval. Default 0.95. */
  readonly confidence?: number;
}

/** The metrics by which decisions are compared. */
export type DecisionMetric = Exclude<PaperMetric, 'mAP'>;

export interface DecisionBootstrap {
  /** How many replicates were run. */
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Each model's metrics on the test split. */
  readonly models: readonly Readonly<Record<DecisionMetric, Interval | null>>[];
  /** By how much the metrics of the second, third, … model exceed those of the first. */
  readonly differences: readonly Readonly<Record<DecisionMetric, Difference | null>>[];
}

/**
 * Compares models and their decisions, with intervals that account for the fitting of the decisions: each replicate
 * redraws validation rows, fits every model's decision on them, and evaluates it on redrawn test rows. All models share
 * the draws, so that whatever makes rows hard for all of them cancels out.
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
      eachDecisionMetric((metric) => {
        const values = replicates.map((replicate) => replicate[metric]);
        return value[metric] === null ? null : intervalOf(value[metric], values, confidence);
      }),
    ),
    differences: drawn.slice(1).map((model) => {
      const difference = seedDifference(first!, model, confidence);
      return eachDecisionMetric((metric) => difference[metric]);
    }),
  };
}

/** Builds a record with a value for each metric. */
function eachDecisionMetric<Value>(of: (metric: DecisionMetric) => Value): Record<DecisionMetric, Value> {
  return {
    macroF1: of('macroF1'),
    macroF2: of('macroF2'),
    f2Ciw: of('f2Ciw'),
    f1Neg: of('f1Neg'),
    falseAlarmRate: of('falseAlarmRate'),
  };
}
