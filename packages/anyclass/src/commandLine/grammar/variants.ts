// Variants on the command line: `bce,any-bce@lambda=0.02,any-bce@lambda=0.2`.

import { configurationSchema } from '../../configuration/schema.js';
import { nearestOrAll } from '../../errors/nearest.js';
import { UsageError } from '../../errors/usageError.js';
import type { DataVariant, LossVariant, NetworkVariant, Variant } from '../../experiments/variants.js';
import { lossNames } from '../../losses/lossNames.js';
import { networkNames } from '../../networks/catalog.js';
import { parseSettings } from './settings.js';

/**
 * Parses comma-separated losses, each with optional settings after `@`. A setting without a dot is a field of
 * the loss, unless the configuration itself has a field with that name.
 *
 * @example
 * parseLosses('bce,any-bce@lambda=0.2@epochs=3')[1] // { name: 'any-bce', set: { 'loss.lambda': 0.2, epochs: 3 } }
 */
export function parseLosses(list: string): LossVariant[] {
  return parseVariants(list, 'loss', 'losses', lossNames);
}

/** Parses comma-separated networks, written the same way. */
export function parseNetworks(list: string): NetworkVariant[] {
  return parseVariants(list, 'network', 'networks', networkNames);
}

/**
 * Parses a dataset, written the same way. It keeps its commas and every `@` that is not followed by a setting,
 * since both may occur in a path. Settings without a name apply to the configuration's own data.
 *
 * @example
 * parseData('coco64/part-*.parquet@keep=["coco-41"]').set // { 'data.keep': ['coco-41'] }
 */
export function parseData(text: string): DataVariant {
  const { name, settings } = divided(text);
  if (name === '' && settings.length === 0) throw new UsageError(`'${text}' does not name data`, 'datasets');
  return { ...(name !== '' && { name }), ...settingsOf(settings, 'data') };
}

function parseVariants<Name extends string>(
  list: string,
  part: 'loss' | 'network',
  option: string,
  names: readonly Name[],
): Variant<Name>[] {
  return splitOutsideBrackets(list, ',').map((entry) => {
    const text = entry.trim();
    const { name, settings } = divided(text);
    if (name === '') throw new UsageError(`'${text}' does not name a ${part}`, option);
    const unfinished = name.indexOf('@');
    if (unfinished >= 0) {
      throw new UsageError(
        `'${text}': expected field=value after @, such as lambda=0.2, not '${name.slice(unfinished + 1)}'`,
        option,
      );
    }
    const known = names.find((each) => each === name);
    if (known === undefined)
      throw new UsageError(
        `no such ${part} '${name}'; ${nearestOrAll(name, names, 'choose one of')}`,
        option,
      );
    return { name: known, ...settingsOf(settings, part) };
  });
}

function divided(text: string): { readonly name: string; readonly settings: readonly string[] } {
  const [name = '', ...settings] = text.split(/@(?=[a-zA-Z.]+=)/);
  return { name, settings };
}

function settingsOf(settings: readonly string[], part: string): Pick<Variant, 'set'> {
  if (settings.length === 0) return {};
  return { set: parseSettings(settings.map((setting) => fullName(setting, part))) };
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
