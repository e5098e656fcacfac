// Former fields of configurations, in records of old runs and studies.

import { isPlainObject, type PlainObject } from './overrides.js';

/**
 * A recorded configuration with current fields: `evaluation.thresholds` and `thresholdBeta` became
 * `evaluation.decision`; a loss without a `reduction` was reduced as in the paper; `network.expertHeads` became `network.head`.
 *
 * @example
 * withTodaysFields({ evaluation: { thresholds: 'class', thresholdBeta: 2 } })
 * // { evaluation: { decision: { rule: 'class', beta: 2 } } }
 */
export function withTodaysFields(recorded: PlainObject): PlainObject {
  return withHead(withDecision(withReduction(recorded)));
}

function withHead(recorded: PlainObject): PlainObject {
  const { network } = recorded;
  if (!isPlainObject(network) || !('expertHeads' in network)) return recorded;
  const { expertHeads, ...rest } = network;
  return { ...recorded, network: { ...rest, ...(expertHeads === true && { head: 'experts' }) } };
}

function withReduction(recorded: PlainObject): PlainObject {
  const { loss } = recorded;
  return isPlainObject(loss) ? { ...recorded, loss: { reduction: 'batch', ...loss } } : recorded;
}

function withDecision(recorded: PlainObject): PlainObject {
  const { evaluation } = recorded;
  if (!isPlainObject(evaluation)) return recorded;
  const { thresholds, thresholdBeta, ...rest } = evaluation;
  if (thresholds === undefined && thresholdBeta === undefined) return recorded;
  const rule = thresholds === 'shared' ? { rule: 'shared', f1Neg: 'at 0.5' } : { rule: 'class' };
  const decision = { ...rule, ...(thresholdBeta !== undefined && { beta: thresholdBeta }) };
  return { ...recorded, evaluation: { ...rest, decision } };
}
