import type { Configuration } from './schema.js';

/**
 * How many candidates validation chose among before a decision is fitted there: all epochs, or one if the last
 * weights are kept whatever they are. A promise divides its error probability among them.
 *
 * @example
 * epochCandidates({ finalWeights: 'last' }, 40) // 1
 * epochCandidates({ finalWeights: 'best' }, 40) // 40
 */
export function epochCandidates(
  { finalWeights, patience }: Pick<Configuration, 'finalWeights' | 'patience'>,
  epochs: number,
): number {
  // Patience chooses when to stop.
  return finalWeights === 'last' && patience === undefined ? 1 : epochs;
}
