// Parses the variants that a user lists for comparison: `bce,any-bce@lambda=0.02,any-bce@lambda=0.2`.

import { configurationSchema } from '../configuration/schema.js';
import { UsageError } from '../errors/usageError.js';

/** A name, and the fields to set with it in `--set` syntax. */
export interface Variant {
  /** As the user wrote it. */
  readonly text: string;
  readonly name: string;
  /** `field=value`, with full dotted names. */
  readonly set: readonly string[];
}

/**
 * Parses comma-separated variants, each a name with optional settings after `@`. A setting without a dot is a
 * field of `part`, unless the configuration itself has a field with that name.
 *
 * @example
 * parseVariants('bce,any-bce@lambda=0.2@epochs=3', 'loss')[1]
 * // { text: 'any-bce@lambda=0.2@epochs=3', name: 'any-bce', set: ['loss.lambda=0.2', 'epochs=3'] }
 */
export function parseVariants(list: string, part: 'loss' | 'network'): Variant[] {
  return splitOutsideBrackets(list, ',').map((text) => parseVariant(text.trim(), part));
}

/**
 * Parses one variant. `data` keeps its commas and every `@` that is not followed by a setting, since both may
 * occur in a path. Settings without a name apply to the configuration's own data.
 *
 * @example
 * parseVariant('coco64/part-*.parquet@keep=["coco-41"]', 'data').set // ['data.keep=["coco-41"]']
 */
export function parseVariant(text: string, part: 'data' | 'loss' | 'network'): Variant {
  const [name = '', ...settings] = text.split(/@(?=[a-zA-Z.]+=)/);
  if (name === '' && (part !== 'data' || settings.length === 0))
    throw new UsageError(`'${text}' does not name a ${part}`);
  const unfinished = part === 'data' ? -1 : name.indexOf('@');
  if (unfinished >= 0) {
    throw new UsageError(
      `'${text}': expected field=value after @, such as lambda=0.2, not '${name.slice(unfinished + 1)}'`,
    );
  }
  return { text, name, set: settings.map((setting) => fullName(setting, part)) };
}

/** Parses comma-separated integers of at least 0, without duplicates. */
export function parseSeeds(list: string): number[] {
  const seeds = list.split(',').map((text) => {
    const seed = text.trim() === '' ? Number.NaN : Number(text);
    if (!Number.isInteger(seed) || seed < 0)
      throw new UsageError(`'${text}' is not an integer of at least 0`, 'seeds');
    return seed;
  });
  const twice = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'seeds');
  return seeds;
}

function fullName(setting: string, part: string): string {
  const [first = ''] = setting.slice(0, setting.indexOf('=')).split('.');
  return Object.hasOwn(configurationSchema.shape, first) ? setting : `${part}.${setting}`;
}

function splitOutsideBrackets(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth++;
    if (character === ']' || character === '}') depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
