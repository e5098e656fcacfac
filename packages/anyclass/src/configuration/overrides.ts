// Fields set by their dotted names, over a configuration.

import { z } from 'zod';
import { UsageError } from '../errors/usageError.js';
import { configurationSchema } from './schema.js';
import { objectIn } from './validate.js';

export type PlainObject = Record<string, unknown>;

/** Values by dotted field name, applied in order: `{ 'loss.lambda': 0.2, epochs: 3 }`. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * Sets fields by their dotted names. null unsets a field that cannot be null.
 *
 * @example
 * withSettings({ loss: { name: 'bce' } }, { 'loss.lambda': 0.2, epochs: 3 })
 * // { loss: { name: 'bce', lambda: 0.2 }, epochs: 3 }
 */
export function withSettings(configuration: PlainObject, settings: Settings): PlainObject {
  return Object.entries(settings).reduce(
    (current, [field, value]) =>
      withField(current, field, value === null && !mayBeNull(field) ? undefined : value),
    configuration,
  );
}

/** Whether null is a value of a field; also of a name that is no field, so that the schema refuses it. */
function mayBeNull(field: string): boolean {
  let type: unknown = configurationSchema;
  for (const part of field.split('.')) type = objectIn(type)?.shape[part];
  return !(type instanceof z.ZodType) || type.safeParse(null).success;
}

/**
 * Joins settings into one. Of a field that is set several times, the last value counts, in its place.
 *
 * @example
 * joinedSettings({ epochs: 3, seed: 1 }, { epochs: 4 }) // { seed: 1, epochs: 4 }
 */
export function joinedSettings(...parts: readonly (Settings | undefined)[]): Settings {
  const joined = new Map<string, unknown>();
  for (const part of parts) {
    for (const [field, value] of Object.entries(part ?? {})) {
      joined.delete(field);
      joined.set(field, value);
    }
  }
  return Object.fromEntries(joined);
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
