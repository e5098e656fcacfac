import type { Candidates } from '@anyclass/core';
import type { Configuration } from './schema.js';

/**
 * How many candidates validation chose among before a decision is fitted there: the epochs of all runs that are compared. A
 * promise divides its error probability among them.
 *
 * @example
 * runCandidates(configuration, 40) // 40 if the best epoch is kept, 1 if the last weights are, whatever they are
 * runCandidates(ofSixRuns, 40) // 240, or 6
 */
export function runCandidates(
  { finalWeights, patience, evaluation }: Pick<Configuration, 'finalWeights' | 'patience' | 'evaluation'>,
  epochs: number,
): Candidates {
  // Patience chooses when to stop.
  const own = finalWeights === 'last' && patience === undefined ? 1 : epochs;
  const { candidates } = evaluation.decision;
  return candidates === 'adaptive' ? candidates : own * candidates;
}

/**
 * Returns a configuration that is one of several candidates. They multiply: each may be compared with others already.
 *
 * @example
 * oneOf(configuration, 6).evaluation.decision.candidates // 6
 */
export function oneOf(configuration: Configuration, candidates: Candidates): Configuration {
  const { evaluation } = configuration;
  const { candidates: own } = evaluation.decision;
  const product = own === 'adaptive' || candidates === 'adaptive' ? 'adaptive' : own * candidates;
  return {
    ...configuration,
    evaluation: { ...evaluation, decision: { ...evaluation.decision, candidates: product } },
  };
}
