// The command-line option of a schema field.

import { z } from 'zod';

export interface OptionField {
  readonly field: string;
  /** For example, `--label-column` for the field `labelColumn`. */
  readonly flag: string;
  readonly kind: 'boolean' | 'number' | 'string' | 'list';
  readonly description: string;
  /** For example, `N` or `bce|focal`. */
  readonly placeholder: string;
  readonly defaultText: string | undefined;
  readonly isOptional: boolean;
  /** For an option that may be given without a value: its choices, and the value it then has. */
  readonly bare: { readonly choices: readonly string[]; readonly value: string } | undefined;
}

export function optionFields(schema: z.ZodObject): OptionField[] {
  return Object.entries(schema.shape).map(([field, type]) => describeField(field, type));
}

/** Returns the flag of a field: `--label-column` for `labelColumn`. */
export function flagOf(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function describeField(field: string, type: unknown): OptionField {
  const { inner, defaultValue } = unwrap(type);
  const meta = type instanceof z.ZodType ? (type.meta() ?? {}) : {};
  return {
    field,
    flag: flagOf(field),
    kind: kindOf(inner),
    isOptional: isOptional(type),
    description: meta.description ?? '',
    placeholder: statedPlaceholder(type) ?? placeholderOf(inner),
    defaultText:
      defaultValue === undefined || defaultValue === false ? undefined : String(defaultValue) || undefined,
    bare:
      typeof meta['bare'] === 'string' && inner instanceof z.ZodEnum
        ? { choices: inner.options.map(String), value: meta['bare'] }
        : undefined,
  };
}

function isOptional(type: unknown): boolean {
  if (type instanceof z.ZodPipe) return isOptional(type.in);
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault;
}

function unwrap(type: unknown): { inner: unknown; defaultValue: unknown } {
  if (type instanceof z.ZodDefault)
    return { inner: unwrap(type.unwrap()).inner, defaultValue: type.def.defaultValue };
  if (type instanceof z.ZodOptional) return unwrap(type.unwrap());
  // Text that a grammar turns into a value.
  if (type instanceof z.ZodPipe) return unwrap(type.in);
  return { inner: type, defaultValue: undefined };
}

function kindOf(type: unknown): OptionField['kind'] {
  if (type instanceof z.ZodBoolean) return 'boolean';
  if (type instanceof z.ZodNumber) return 'number';
  return type instanceof z.ZodArray ? 'list' : 'string';
}

/** The placeholder of a field, or of the one that it makes optional. */
function statedPlaceholder(type: unknown): string | undefined {
  if (!(type instanceof z.ZodType)) return undefined;
  const stated = type.meta()?.['placeholder'];
  if (typeof stated === 'string') return stated;
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault
    ? statedPlaceholder(type.unwrap())
    : undefined;
}

function placeholderOf(type: unknown): string {
  if (type instanceof z.ZodEnum) return type.options.join('|');
  return kindOf(type) === 'number' ? 'N' : 'TEXT';
}
