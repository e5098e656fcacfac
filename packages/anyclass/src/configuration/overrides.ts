// `field=value`: single fields changed, as the command line does.

import { UsageError } from '../errors/usageError.js';

export type PlainObject = Record<string, unknown>;

/**
 * Sets fields by their dotted names. A value is JSON where it reads as JSON, such as 3, true or ["a"], and else a text.
 *
 * @example
 * withOverrides({ loss: { name: 'bce' } }, ['loss.lambda=0.2', 'epochs=3', 'device=cpu'])
 * // { loss: { name: 'bce', lambda: 0.2 }, epochs: 3, device: 'cpu' }
 */
export function withOverrides(configuration: PlainObject, assignments: readonly string[]): PlainObject {
  return assignments.reduce((current, assignment) => {
    const equals = assignment.indexOf('=');
    if (equals < 1) throw new UsageError(`expected field=value, not '${assignment}'`, 'set');
    const path = assignment.slice(0, equals).split('.');
    return withField(current, path, parsed(assignment.slice(equals + 1)), assignment);
  }, configuration);
}

/** Fields of both; where both have a group of fields, the fields of both groups, the second one's before the first's. */
export function merged(first: PlainObject, second: PlainObject): PlainObject {
  const result: PlainObject = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const known = result[key];
    result[key] = isPlainObject(known) && isPlainObject(value) ? merged(known, value) : value;
  }
  return result;
}

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withField(
  object: PlainObject,
  [first = '', ...rest]: readonly string[],
  value: unknown,
  assignment: string,
): PlainObject {
  if (rest.length === 0) return { ...object, [first]: value };
  const inner = object[first] ?? {};
  if (!isPlainObject(inner))
    throw new UsageError(`${assignment}: '${first}' has no fields of its own`, 'set');
  return { ...object, [first]: withField(inner, rest, value, assignment) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
