// Configurations field by field: which runs belong together, and what tells them apart.

import { isPlainObject } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';

/** Fields that say where and how fast a run computes, not what. */
const placeFields: ReadonlySet<string> = new Set([
  'device',
  'threads',
  'data.cache',
  'checkpoints.everyMinutes',
  'checkpoints.keep',
]);

/** A field's dotted name, with its value as JSON in either configuration; undefined where it is not set. */
export interface DifferingField {
  readonly field: string;
  readonly first: string | undefined;
  readonly second: string | undefined;
}

/**
 * The fields in which two configurations differ, but for those that say where a run computes.
 *
 * @example
 * differingFields(validateConfiguration({ ...base, epochs: 2 }), validateConfiguration({ ...base, epochs: 3 }))
 * // [{ field: 'epochs', first: '2', second: '3' }]
 */
export function differingFields(first: Configuration, second: Configuration): DifferingField[] {
  const [one, two] = [resultFields(first), resultFields(second)];
  return [...new Set([...one.keys(), ...two.keys()])]
    .map((field) => ({ field, first: one.get(field), second: two.get(field) }))
    .filter((entry) => entry.first !== entry.second);
}

/** What decides over a run's result: every such field's dotted name with its value as JSON. */
export function resultFields(configuration: Configuration): Map<string, string> {
  return new Map(flattened(configuration, '').filter(([field]) => !placeFields.has(field)));
}

function flattened(value: unknown, prefix: string): [string, string][] {
  if (!isPlainObject(value)) return value === undefined ? [] : [[prefix, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    flattened(inner, prefix === '' ? key : `${prefix}.${key}`),
  );
}
