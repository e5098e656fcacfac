// Values in memory, of which those that were used longest ago make room for new ones.

export interface Bounded<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
}

/**
 * Creates an empty store that holds values up to a total size.
 *
 * @param onDropped called with each value that makes room or is replaced
 *
 * @example
 * const pictures = bounded<Buffer>(64 << 20, (bytes) => bytes.length);
 */
export function bounded<Value>(
  most: number,
  sizeOf: (value: Value) => number,
  onDropped: (value: Value) => void = () => {},
): Bounded<Value> {
  const kept = new Map<string, Value>();
  let size = 0;
  const drop = (key: string) => {
    const value = kept.get(key);
    if (value === undefined) return;
    kept.delete(key);
    size -= sizeOf(value);
    onDropped(value);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      kept.set(key, value);
      size += sizeOf(value);
      for (const oldest of kept.keys()) {
        if (size <= most || oldest === key) break;
        drop(oldest);
      }
    },
    delete: drop,
    clear() {
      for (const key of [...kept.keys()]) drop(key);
    },
  };
}
