// The values that a configuration field may take in a search, and their positions on a scale from 0 to 1.

import { z } from 'zod';
import { UsageError } from '../errors/usageError.js';

const value = z.union([z.number(), z.string(), z.boolean(), z.null()]);

/** Bounds are included. `log` and `logint` are uniform in the logarithm. */
const interval = z
  .strictObject({ kind: z.enum(['uniform', 'log', 'int', 'logint']), low: z.number(), high: z.number() })
  .readonly();

const choice = z.strictObject({ kind: z.literal('choice'), values: z.array(value).readonly() }).readonly();

/** A space as a study's file holds it. */
export const spaceSchema = z.union([interval, choice]);

export type Value = z.output<typeof value>;
export type Interval = z.output<typeof interval>;
export type Choice = z.output<typeof choice>;
export type Space = Interval | Choice;

/** Throws if a space holds no values, or values that it cannot hold. */
export function checkSpace(space: Space): void {
  const text = spaceText(space);
  if (space.kind === 'choice') {
    if (space.values.length === 0 || new Set(space.values).size < space.values.length)
      throw new UsageError(`${text}: a choice needs distinct values, such as choice(64,128,256)`, 'search');
    return;
  }
  const { kind, low, high } = space;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low >= high)
    throw new UsageError(`${text}: expected two numbers, the lower one first`, 'search');
  if (isWhole(space) && !(Number.isInteger(low) && Number.isInteger(high)))
    throw new UsageError(`${text}: expected integers`, 'search');
  if (kind.startsWith('log') && low <= 0)
    throw new UsageError(`${text}: a logarithmic space must start above 0`, 'search');
}

/**
 * Writes a space for messages and tables.
 *
 * @example
 * spaceText({ kind: 'choice', values: [64, 'auto', null] }) // 'choice(64,auto,null)'
 */
export function spaceText(space: Space): string {
  if (space.kind !== 'choice') return `${space.kind}(${space.low},${space.high})`;
  return `choice(${space.values.map(String).join(',')})`;
}

/**
 * The value at a position between 0 and 1, rounded to four digits so that it is easy to read and type.
 *
 * @example
 * valueAt({ kind: 'log', low: 0.01, high: 1 }, 0.5) // 0.1
 * valueAt({ kind: 'int', low: 1, high: 4 }, 0.99) // 4
 */
export function valueAt(interval: Interval, place: number): number {
  const { low, high } = interval;
  const [first, last] = scaleEnds(interval);
  const onScale = first + place * (last - first);
  const value = isLogarithmic(interval) ? Math.exp(onScale) : onScale;
  const rounded = isWhole(interval) ? Math.round(value) : Number(value.toPrecision(4));
  return Math.min(high, Math.max(low, rounded));
}

/** The part of the scale from 0 to 1 that maps to a value: an interval for integers, otherwise a point. */
export function placesOf(interval: Interval, value: number): readonly [number, number] {
  const [first, last] = scaleEnds(interval);
  const place = (at: number) => ((isLogarithmic(interval) ? Math.log(at) : at) - first) / (last - first);
  return isWhole(interval) ? [place(value - 0.5), place(value + 0.5)] : [place(value), place(value)];
}

export function isWhole({ kind }: Interval): boolean {
  return kind === 'int' || kind === 'logint';
}

/** For integers, half a step is added at both ends, so that the first and last are as likely as others. */
function scaleEnds(interval: Interval): readonly [number, number] {
  const margin = isWhole(interval) ? 0.5 : 0;
  const [low, high] = [interval.low - margin, interval.high + margin];
  return isLogarithmic(interval) ? [Math.log(low), Math.log(high)] : [low, high];
}

function isLogarithmic({ kind }: Interval): boolean {
  return kind === 'log' || kind === 'logint';
}
