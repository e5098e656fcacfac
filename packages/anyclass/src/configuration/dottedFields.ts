// Settings field by field: which runs belong together, and how they differ.

import { isPlainObject } from './overrides.js';
import type { Configuration } from './schema.js';

/** Dotted names with their values as JSON; undefined fields are omitted. */
export type DottedFields = ReadonlyMap<string, string>;

/** A field in which two sides differ; undefined if a side does not set it. */
export interface DifferingField {
  readonly field: string;
  readonly first: string | undefined;
  readonly second: string | undefined;
}

/** Fields that affect where and how fast a run computes, but not its result. */
export const placeFields: ReadonlySet<string> = new Set([
  'device',
  'threads',
  'data.cache',
  'checkpoints.everyMinutes',
  'checkpoints.keep',
  'checkpoints.keepFinished',
  'log',
  'margins',
]);

/**
 * Returns all fields of an object, including those of nested objects.
 *
 * @example
 * dottedFields({ loss: { name: 'bce', lambda: 0.2 } }) // Map { 'loss.name' → '"bce"', 'loss.lambda' → '0.2' }
 */
export function dottedFields(object: object): DottedFields {
  return new Map(Object.entries(object).flatMap(([key, value]) => flattened(value, key)));
}

/**
 * The fields that determine a run's result: all but those that say where it computes. The decision does not
 * count either: it is refitted from the saved scores whenever runs are compared.
 */
export function resultFields(configuration: Configuration): DottedFields {
  const isOfDecision = (field: string) => field.startsWith('evaluation.decision.');
  return new Map(
    [...dottedFields(configuration)].filter(([field]) => !placeFields.has(field) && !isOfDecision(field)),
  );
}

/** A string that is the same for configurations with the same result. */
export function resultKey(configuration: Configuration): string {
  return JSON.stringify([...resultFields(configuration)].sort());
}

/**
 * Returns the fields in which two sides differ.
 *
 * @example
 * differingFields(dottedFields({ epochs: 2 }), dottedFields({ epochs: 3 })) // [{ field: 'epochs', first: '2', second: '3' }]
 */
export function differingFields(first: DottedFields, second: DottedFields): DifferingField[] {
  return [...new Set([...first.keys(), ...second.keys()])]
    .map((field) => ({ field, first: first.get(field), second: second.get(field) }))
    .filter((entry) => entry.first !== entry.second);
}

function flattened(value: unknown, name: string): [string, string][] {
  if (!isPlainObject(value)) return value === undefined ? [] : [[name, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flattened(inner, `${name}.${key}`));
}
