// The values that a configuration field may take in a search, and their positions on a scale from 0 to 1.

import { UsageError } from '../errors/usageError.js';

export type Value = number | string | boolean | null;

/** Bounds are included. `log` and `logint` are uniform in the logarithm. */
export interface Interval {
  readonly kind: 'uniform' | 'log' | 'int' | 'logint';
  readonly low: number;
  readonly high: number;
}

export interface Choice {
  readonly kind: 'choice';
  readonly values: readonly Value[];
}

export type Space = Interval | Choice;

/**
 * Parses a space: `uniform(0,1)`, `log(1e-4,1e-2)`, `int(1,9)`, `logint(16,512)` or
 * `choice(64,128,null,sgd)`.
 *
 * @example
 * parseSpace('log(0.005, 1)') // { kind: 'log', low: 0.005, high: 1 }
 */
export function parseSpace(text: string): Space {
  const [, kind = '', inside = ''] = /^\s*(\w+)\((.*)\)\s*$/.exec(text) ?? [];
  const parts = inside.split(',').map((part) => part.trim());
  if (kind === 'choice') {
    const values = parts.map(parsedValue);
    if (inside.trim() === '' || new Set(values).size < values.length)
      throw new UsageError(`'${text}': a choice needs distinct values, such as choice(64,128,256)`);
    return { kind, values };
  }
  if (kind !== 'uniform' && kind !== 'log' && kind !== 'int' && kind !== 'logint') {
    throw new UsageError(
      `'${text}' is not a search space; write uniform(LOW,HIGH), log(LOW,HIGH), int(LOW,HIGH), logint(LOW,HIGH) or choice(A,B,…)`,
    );
  }
  const [low = Number.NaN, high = Number.NaN] = parts.map((part) =>
    part === '' ? Number.NaN : Number(part),
  );
  if (parts.length !== 2 || !Number.isFinite(low) || !Number.isFinite(high) || low >= high)
    throw new UsageError(`'${text}': expected two numbers, the lower one first`);
  if (kind.endsWith('int') && !(Number.isInteger(low) && Number.isInteger(high)))
    throw new UsageError(`'${text}': expected integers`);
  if (kind.startsWith('log') && low <= 0)
    throw new UsageError(`'${text}': a logarithmic space must start above 0`);
  return { kind, low, high };
}

/**
 * Formats a space as text that `parseSpace` reads.
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

function parsedValue(text: string): Value {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? text : number;
}
