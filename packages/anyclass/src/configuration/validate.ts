// Checks what a user wrote; returns a configuration, or an error that names each field and what it expects.

import { z } from 'zod';
import { expectation } from '../errors/expectation.js';
import { nearest, nearestOrAll } from '../errors/nearest.js';
import { UserError } from '../errors/userError.js';
import { type Configuration, configurationSchema } from './schema.js';

/**
 * Returns a complete configuration from partial input. Reports all mistakes at once, each with its field.
 *
 * @param source named in messages, such as the file
 *
 * @example
 * validateConfiguration({ data: { dataset: 'digits' }, epochs: 3 }).batchSize // 64
 * validateConfiguration({ data: { dataset: 'digits' }, epoch: 3 })
 * // UserError: epoch: no such field; did you mean 'epochs'?
 */
export function validateConfiguration(given: unknown, source?: string): Configuration {
  return validateParts(configurationSchema, given, source);
}

/**
 * The same for some parts of a configuration, where there is no whole one.
 *
 * @example
 * validateParts(configurationSchema.pick({ evaluation: true }), { evaluation: { replicates: 0 } }).evaluation.confidence // 0.95
 */
export function validateParts<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  source?: string,
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const title = source === undefined ? 'Invalid configuration' : `Invalid configuration in ${source}`;
  throw new UserError(problemText(title, describeAll(result.error, given, schema)));
}

/** All mistakes in a configuration, each with its field. */
export function configurationProblems(given: unknown): string[] {
  const result = configurationSchema.safeParse(given);
  return result.success ? [] : describeAll(result.error, given, configurationSchema);
}

export function problemText(title: string, problems: readonly string[]): string {
  return [`${title}:`, ...problems.map((problem) => `  ${problem}`)].join('\n');
}

function describeAll({ issues }: z.ZodError, given: unknown, schema: z.ZodObject): string[] {
  return issues.flatMap((issue) => describeIssue(issue, given, schema));
}

function describeIssue(issue: z.core.$ZodIssue, given: unknown, schema: z.ZodObject): string[] {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => {
      const name = [...issue.path, key].join('.');
      const elsewhere = fieldNamed(schema, key);
      const advice =
        elsewhere === undefined ? nearestOrAll(key, known, 'choose one of') : `did you mean '${elsewhere}'?`;
      return `${name}: no such field; ${advice}`;
    });
  }
  if (valueAt(given, issue.path) === undefined) return [`${field} is missing`];
  const value = valueAt(given, issue.path);
  const close =
    issue.code === 'invalid_value' && typeof value === 'string'
      ? nearest(value, issue.values.map(String))
      : undefined;
  return [
    `${field} is ${JSON.stringify(value)}; ${expectation(issue)}${close ? `; did you mean '${close}'?` : ''}`,
  ];
}

/** Where a field of that name stands, at the top or in a part: `network.tiles` for `tiles`. */
function fieldNamed(schema: z.ZodObject, key: string): string | undefined {
  if (key in schema.shape) return key;
  const part = Object.keys(schema.shape).find((name) => key in (objectIn(schema.shape[name])?.shape ?? {}));
  return part === undefined ? undefined : `${part}.${key}`;
}

/** The names of the fields at a path in the schema. */
function fieldsAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let type: unknown = schema;
  for (const part of path) type = objectIn(type)?.shape[String(part)];
  return Object.keys(objectIn(type)?.shape ?? {});
}

/** The object type that a type is or may be: augmentation is a name or an object of parts. */
export function objectIn(type: unknown): z.ZodObject | undefined {
  const inner = innermost(type);
  if (inner instanceof z.ZodUnion) return inner.options.map(objectIn).find((option) => option !== undefined);
  return inner instanceof z.ZodObject ? inner : undefined;
}

/** A type without its default, optional and nullable wrappers. */
export function innermost(type: unknown): unknown {
  if (
    type instanceof z.ZodDefault ||
    type instanceof z.ZodPrefault ||
    type instanceof z.ZodOptional ||
    type instanceof z.ZodNullable
  ) {
    return innermost(type.unwrap());
  }
  return type;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}
