// `field=value` assignments, as on the command line.

import { messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { parseJson } from '../files/json.js';

export type PlainObject = Record<string, unknown>;

/**
 * Sets fields by their dotted names. A value that parses as JSON is JSON, such as 3, true or ["a"]; otherwise
 * it is a string. null unsets a data field, since no data field can be null.
 *
 * @example
 * withOverrides({ loss: { name: 'bce' } }, ['loss.lambda=0.2', 'epochs=3', 'device=cpu'])
 * // { loss: { name: 'bce', lambda: 0.2 }, epochs: 3, device: 'cpu' }
 */
export function withOverrides(configuration: PlainObject, assignments: readonly string[]): PlainObject {
  return assignments.reduce((current, assignment) => {
    const equals = assignment.indexOf('=');
    if (equals < 1) throw new UsageError(`expected field=value, not '${assignment}'`, 'set');
    const field = assignment.slice(0, equals);
    const value = parsed(assignment.slice(equals + 1));
    return withField(current, field, value === null && field.startsWith('data.') ? undefined : value);
  }, configuration);
}

/**
 * Sets one field by its dotted name.
 *
 * @example
 * withField({ loss: { name: 'bce' } }, 'loss.lambda', 0.2) // { loss: { name: 'bce', lambda: 0.2 } }
 */
export function withField(object: PlainObject, field: string, value: unknown): PlainObject {
  const [first = '', ...rest] = field.split('.');
  if (first === '__proto__') throw new UsageError(`${field}: there is no field '__proto__'`, 'set');
  if (rest.length === 0) return { ...object, [first]: value };
  const inner = object[first] ?? {};
  if (!isPlainObject(inner)) throw new UsageError(`${field}: '${first}' has no subfields`, 'set');
  return { ...object, [first]: withField(inner, rest.join('.'), value) };
}

/** Merges deeply; fields of the second take precedence. */
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

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (/^\s*[[{]/.test(text) && messageOf(error).includes('__proto__'))
      throw new UsageError(messageOf(error), 'set');
    return text;
  }
}
