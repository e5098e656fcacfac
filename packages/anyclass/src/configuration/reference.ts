// The reference of all fields, generated from the schema.

import { z } from 'zod';
import { configurationSchema } from './schema.js';
import { innermost, objectIn } from './validate.js';

export interface ConfigurationField {
  /** Dotted, as in assignments. */
  readonly name: string;
  readonly kind: string;
  readonly defaultText: string;
  readonly description: string;
}

/** All fields in the order of the schema. */
export function configurationFields(): ConfigurationField[] {
  return fieldsOf(configurationSchema.shape, '');
}

/**
 * All fields as a Markdown table.
 *
 * @example
 * configurationReference() // | field | value | default | …
 */
export function configurationReference(): string {
  const rows = configurationFields().map(
    ({ name, kind, defaultText, description }) =>
      `| \`${name}\` | ${escaped(kind)} | ${defaultText === '' ? '' : `\`${defaultText}\``} | ${description} |`,
  );
  return ['| field | value | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function fieldsOf(shape: Readonly<Record<string, unknown>>, prefix: string): ConfigurationField[] {
  return Object.entries(shape).flatMap(([key, type]) => {
    const inner = innermost(type);
    const name = prefix + key;
    if (inner instanceof z.ZodObject) return fieldsOf(inner.shape, `${name}.`);
    const description = descriptionOf(type) || descriptionOf(inner);
    const parts = name === 'augmentation' ? fieldsOf(objectIn(inner)?.shape ?? {}, `${name}.`) : [];
    return [{ name, kind: kindOf(inner), defaultText: defaultOf(type), description }, ...parts];
  });
}

function descriptionOf(type: unknown): string {
  return type instanceof z.ZodType ? (type.description ?? '') : '';
}

function kindOf(type: unknown): string {
  if (type instanceof z.ZodEnum || type instanceof z.ZodLiteral) {
    return [...(type instanceof z.ZodEnum ? type.options : type.values)].join(' | ');
  }
  if (type instanceof z.ZodNumber) return type.format === 'safeint' ? 'integer' : 'number';
  if (type instanceof z.ZodBoolean) return 'true | false';
  if (type instanceof z.ZodArray) return `list of ${kindOf(type.element).replace(/^\w+$/, '$&s')}`;
  if (type instanceof z.ZodTuple) return `${type.def.items.length} numbers`;
  if (type instanceof z.ZodReadonly) return kindOf(type.unwrap());
  if (type instanceof z.ZodUnion) return type.options.map(kindOf).join(' | ');
  return type instanceof z.ZodObject ? 'object' : 'string';
}

function defaultOf(type: unknown): string {
  if (!(type instanceof z.ZodDefault)) return '';
  return typeof type.def.defaultValue === 'string'
    ? type.def.defaultValue
    : JSON.stringify(type.def.defaultValue);
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
