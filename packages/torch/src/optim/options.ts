// Options of a parameter group as they come from a caller or from a checkpoint's JSON, checked one by one.

export type RawOptions = Readonly<Record<string, unknown>>;

/** A number from 0 on, below `limit`. */
export function nonNegative(raw: RawOptions, name: string, limit = Number.POSITIVE_INFINITY): number {
  return bounded(raw[name], name, limit);
}

export function flag(raw: RawOptions, name: string): boolean {
  const value = raw[name];
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, not ${shown(value)}`);
  return value;
}

/** Two numbers from 0 on, below `limit`. */
export function nonNegativePair(raw: RawOptions, name: string, limit: number): readonly [number, number] {
  const value = raw[name];
  if (!Array.isArray(value) || value.length !== 2) {
    throw new TypeError(`${name} must be two numbers, not ${shown(value)}`);
  }
  return [bounded(value[0], `${name}[0]`, limit), bounded(value[1], `${name}[1]`, limit)];
}

function bounded(value: unknown, name: string, limit: number): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number, not ${shown(value)}`);
  if (!(value >= 0 && value < limit)) {
    const upper = limit === Number.POSITIVE_INFINITY ? 'finite' : `below ${limit}`;
    throw new RangeError(`${name} must be 0 or more and ${upper}, not ${value}`);
  }
  return value;
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
