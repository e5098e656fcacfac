import type { Scored } from './scored.js';

/** Thresholds that were fitted to labels, with the data they were fitted on. Plain JSON. */
export interface FittedThresholds {
  /** One per class. */
  readonly values: readonly number[];
  readonly classNames: readonly string[];
  /** The β whose F_β they maximize. */
  readonly beta: number;
  /** The F_β that each class reached on the data of the fit. */
  readonly reached: readonly number[];
  /** The name of the split; next, a fingerprint of its scores and labels. */
  readonly fittedOn: string;
  readonly fingerprint: string;
  /** Classes without a present row, for which all thresholds are equally good. */
  readonly undefinedClasses: readonly string[];
}

/** Throws if thresholds or a decision are evaluated on the data they were fitted on. */
export function refuseSameSplit(
  fitted: Pick<FittedThresholds, 'fittedOn' | 'fingerprint'>,
  judged: Scored,
  what: 'thresholds were' | 'decision was' = 'thresholds were',
): void {
  if (judged.split === undefined) {
    throw new TypeError(
      `the ${what} fitted on '${fitted.fittedOn}', and the data to evaluate has no name; set its split`,
    );
  }
  const sameName = judged.split === fitted.fittedOn;
  if (sameName || fingerprintOf(judged) === fitted.fingerprint) {
    throw new RangeError(
      `the ${what} fitted on ${sameName ? '' : 'the same data, named '}'${fitted.fittedOn}', and evaluating there ` +
        'overstates the result; evaluate on another split, or set allowSameSplit',
    );
  }
}

/**
 * Returns a 32-bit FNV-1a hash of scores and labels, in hexadecimal.
 *
 * @example
 * fingerprintOf(validation) === fingerprintOf(test) // false
 */
export function fingerprintOf({ scores, targets }: Scored): string {
  const words = new Uint32Array(scores.buffer, scores.byteOffset, scores.byteLength / 4);
  let hash = 0x811c9dc5;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i]!, 0x01000193);
  for (let i = 0; i < targets.length; i++) hash = Math.imul(hash ^ (targets[i]! + 1), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
