// Checks for the options of a parameter group, which come from a caller or from a checkpoint's JSON.

export type RawOptions = Readonly<Record<string, unknown>>;

/** Returns a number that is at least 0 and below `limit`. */
export function nonNegative(raw: RawOptions, name: string, limit = Number.POSITIVE_INFINITY): number {
  return bounded(raw[name], name, limit);
}

export function flag(raw: RawOptions, name: string): boolean {
  const value = raw[name];
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, not ${shown(value)}`);
  return value;
}

/** Returns two numbers that are at least 0 and below `limit`. */
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
