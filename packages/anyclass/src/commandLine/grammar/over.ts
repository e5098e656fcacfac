// The field and values of a sweep on the command line: `lambda=0,0.02,0.2`.

import { UsageError } from '../../errors/usageError.js';
import { lossSymbols, type SweptValues } from '../../experiments/sweepPlan.js';
import { parseNumbers } from './lists.js';

/**
 * Parses a field and its values; fields of the loss need no prefix.
 *
 * @example
 * parseOver('lambda=0,0.02,0.2') // { field: 'loss.lambda', values: [0, 0.02, 0.2] }
 */
export function parseOver(text: string): SweptValues {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`expected field=value,value,…, not '${text}'`, 'over');
  const given = text.slice(0, equals);
  const field = Object.hasOwn(lossSymbols, `loss.${given}`) ? `loss.${given}` : given;
  return { field, values: parseNumbers(text.slice(equals + 1), 'over') };
}

/** Writes them as text that `parseOver` reads. */
export function overText({ field, values }: SweptValues): string {
  return `${field.replace(/^loss\./, '')}=${values.join(',')}`;
}
