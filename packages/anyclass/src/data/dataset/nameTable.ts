/**
 * The file names or IDs of all rows: one UTF-8 buffer and offsets, since a million strings take
 * 100 MB and cause a pause.
 */
export interface NameTable {
  readonly length: number;
  /** The name of a row. */
  at(row: number): string;
  /** All names one after another, for hashing. */
  readonly bytes: Uint8Array;
  /** For each row, the first row with the same name; undefined if no name appears twice. */
  firstRows(): Int32Array | undefined;
}

/** Collects names row by row. */
export interface NameTableBuilder {
  readonly length: number;
  add(name: string): void;
  finish(): NameTable;
}

/**
 * Creates an empty builder.
 *
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
      return {
        length,
        bytes: all,
        at: (row) => all.toString('utf8', ends[row]!, ends[row + 1]!),
        firstRows: () => firstRows(all, ends),
      };
    },
  };
}

/**
 * Finds repeated names by open addressing over the bytes: a set of a million strings would
 * cost what the table saves.
 */
function firstRows(bytes: Buffer, ends: Float64Array): Int32Array | undefined {
  const rows = ends.length - 1;
  const size = 2 ** Math.ceil(Math.log2(2 * rows + 1));
  const slots = new Int32Array(size); // a row plus 1; 0 is empty
  let first: Int32Array | undefined;
  for (let row = 0; row < rows; row++) {
    const [start, end] = [ends[row]!, ends[row + 1]!];
    let slot = hash(bytes, start, end) & (size - 1);
    let other = -1;
    for (; slots[slot] !== 0; slot = (slot + 1) & (size - 1)) {
      const candidate = slots[slot]! - 1;
      if (bytes.compare(bytes, ends[candidate]!, ends[candidate + 1]!, start, end) !== 0) continue;
      other = candidate;
      break;
    }
    if (other >= 0) first ??= Int32Array.from({ length: rows }, (_, i) => i);
    else slots[slot] = row + 1;
    if (first) first[row] = other >= 0 ? other : row;
  }
  return first;
}

/** FNV-1a. */
function hash(bytes: Buffer, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i]!, 0x01000193);
  return value ^ (value >>> 15);
}
