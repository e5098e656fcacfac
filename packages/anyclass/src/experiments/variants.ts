// The variants that an experiment compares: a name, and fields to set with it.

import type { Settings } from '../configuration/overrides.js';
import { UsageError } from '../errors/usageError.js';
import type { LossName } from '../losses/lossNames.js';
import type { NetworkName } from '../networks/catalog.js';

/** `{ name: 'any-bce', set: { 'loss.lambda': 0.2 } }`. */
export interface Variant<Name extends string = string> {
  readonly name: Name;
  /** Fields to set with it, by their dotted names. */
  readonly set?: Settings;
}

export type LossVariant = Variant<LossName>;
export type NetworkVariant = Variant<NetworkName>;

/** A DATASET with settings, or settings alone for the configuration's own data. */
export interface DataVariant {
  readonly name?: string;
  readonly set?: Settings;
}

/**
 * Writes a variant for messages and labels; fields of its own part are named without their prefix.
 *
 * @example
 * variantText({ name: 'any-bce', set: { 'loss.lambda': 0.2, epochs: 3 } }, 'loss') // 'any-bce lambda=0.2 epochs=3'
 */
export function variantText({ name, set = {} }: DataVariant, part: 'data' | 'loss' | 'network'): string {
  const settings = Object.entries(set).map(([field, value]) => {
    const own = field.startsWith(`${part}.`) ? field.slice(part.length + 1) : field;
    return `${own}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return [...(name === undefined ? [] : [name]), ...settings].join(' ');
}

/** Throws unless these are integers of at least 0 without duplicates. */
export function checkSeeds(seeds: readonly number[]): void {
  if (seeds.length === 0) throw new UsageError('expected at least one', 'seeds');
  const wrong = seeds.find((seed) => !Number.isInteger(seed) || seed < 0);
  if (wrong !== undefined) throw new UsageError(`'${wrong}' is not an integer of at least 0`, 'seeds');
  const twice = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'seeds');
}
