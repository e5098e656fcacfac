// Search spaces on the command line: `loss.lambda=log(0.005,1)`, or a field alone for its default space.

import { UsageError } from '../../errors/usageError.js';
import type { SearchRequest } from '../../tuning/searchSpace.js';
import { checkSpace, type Space, type Value } from '../../tuning/space.js';

/**
 * Parses the fields to search.
 *
 * @example
 * parseSearch(['batchSize=choice(64,128)', 'loss.lambda'])
 * // { batchSize: { kind: 'choice', values: [64, 128] }, 'loss.lambda': 'default' }
 */
export function parseSearch(options: readonly string[]): SearchRequest {
  const entries = options.map((option) => {
    const equals = option.indexOf('=');
    if (equals < 0) return [option, 'default'] as const;
    return [option.slice(0, equals), parseSpace(option.slice(equals + 1))] as const;
  });
  const names = entries.map(([field]) => field);
  const twice = names.find((field, i) => names.indexOf(field) < i);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'search');
  return Object.fromEntries(entries);
}

/**
 * Parses a space: `uniform(0,1)`, `log(1e-4,1e-2)`, `int(1,9)`, `logint(16,512)` or
 * `choice(64,128,null,sgd)`.
 *
 * @example
 * parseSpace('log(0.005, 1)') // { kind: 'log', low: 0.005, high: 1 }
 */
export function parseSpace(text: string): Space {
  const space = spaceIn(text);
  checkSpace(space);
  return space;
}

function spaceIn(text: string): Space {
  const [, kind = '', inside = ''] = /^\s*(\w+)\((.*)\)\s*$/.exec(text) ?? [];
  const parts = inside.trim() === '' ? [] : inside.split(',').map((part) => part.trim());
  if (kind === 'choice') return { kind, values: parts.map(parsedValue) };
  if (kind !== 'uniform' && kind !== 'log' && kind !== 'int' && kind !== 'logint') {
    throw new UsageError(
      `'${text}' is not a search space; write uniform(LOW,HIGH), log(LOW,HIGH), int(LOW,HIGH), logint(LOW,HIGH) or choice(A,B,…)`,
      'search',
    );
  }
  const [low = Number.NaN, high = Number.NaN] = parts.map((part) =>
    part === '' ? Number.NaN : Number(part),
  );
  if (parts.length !== 2) throw new UsageError(`'${text}': expected two numbers`, 'search');
  return { kind, low, high };
}

function parsedValue(text: string): Value {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? text : number;
}
