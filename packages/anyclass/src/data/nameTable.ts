/** File names or ids of all rows: one UTF-8 buffer and offsets, since a million strings cost 100 MB and a pause. */
export interface NameTable {
  readonly length: number;
  /** The name of a row. */
  at(row: number): string;
  /** All names one after another, for hashing. */
  readonly bytes: Uint8Array;
}

/** Collects names row by row. */
export interface NameTableBuilder {
  readonly length: number;
  add(name: string): void;
  finish(): NameTable;
}

/**
 * @example
 * const names = nameTableBuilder();
 * names.add('00000001.png');
 * names.finish().at(0) // '00000001.png'
 */
export function nameTableBuilder(): NameTableBuilder {
  let bytes = Buffer.allocUnsafe(1 << 16);
  let offsets = new Float64Array(1 << 10);
  let length = 0;
  let used = 0;
  return {
    get length() {
      return length;
    },
    add(name) {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      const most = used + name.length * 3;
      if (most > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(most, bytes.length * 2));
        bytes.copy(larger, 0, 0, used);
        bytes = larger;
      }
      if (length + 1 >= offsets.length) {
        const larger = new Float64Array(offsets.length * 2);
        larger.set(offsets);
        offsets = larger;
      }
      used += bytes.write(name, used, 'utf8');
      length += 1;
      offsets[length] = used;
    },
    finish() {
      const all = bytes.subarray(0, used);
      const ends = offsets.subarray(0, length + 1);
      return { length, bytes: all, at: (row) => all.toString('utf8', ends[row]!, ends[row + 1]!) };
    },
  };
}
