// A set of classes for each row: as bits if there are few classes, as lists if there are many. With 20,000
// classes and 100,000 rows, bits take 250 MB, and lists a few MB.

/** Collects the marked classes of rows. */
export interface PlaneBuilder {
  addRow(): void;
  /** Marks a class in the last row; each class at most once. */
  mark(classIndex: number): void;
  finish(): Plane;
}

/** The marked classes of each row. */
export interface Plane {
  has(row: number, classIndex: number): boolean;
  any(row: number): boolean;
  /** The marked classes in ascending order. */
  classes(row: number): ArrayLike<number> & Iterable<number>;
}

/** From this many classes on, lists take less memory than bits for typical labels. */
export const fewestListed = 1024;

/**
 * Creates a builder.
 *
 * @param rows the number of existing rows, none with a mark
 *
 * @example
 * const plane = planeBuilder(3, 0);
 * plane.addRow();
 * plane.mark(2);
 * [...plane.finish().classes(0)] // [2]
 */
export function planeBuilder(classes: number, rows: number): PlaneBuilder {
  return classes < fewestListed ? bitPlane(classes, rows) : listPlane(rows);
}

function bitPlane(classes: number, before: number): PlaneBuilder {
  // At least one word, so that a table without classes still has rows.
  const stride = Math.max(1, Math.ceil(classes / 32));
  let rows = before;
  let words = new Uint32Array(stride * Math.max(1024, 2 * before));
  return {
    addRow() {
      rows += 1;
      if (rows * stride > words.length) words = extended(words);
    },
    mark(classIndex) {
      const word = (rows - 1) * stride + (classIndex >>> 5);
      words[word] = words[word]! | (1 << (classIndex & 31));
    },
    finish() {
      const bits = words.slice(0, rows * stride);
      const has = (row: number, classIndex: number) =>
        ((bits[row * stride + (classIndex >>> 5)]! >>> (classIndex & 31)) & 1) === 1;
      return {
        has,
        any: (row) => bits.subarray(row * stride, (row + 1) * stride).some((word) => word !== 0),
        classes(row) {
          const found: number[] = [];
          for (let word = 0; word < stride; word++) {
            let left = bits[row * stride + word]!;
            for (; left !== 0; left &= left - 1) found.push(32 * word + 31 - Math.clz32(left & -left));
          }
          return found;
        },
      };
    },
  };
}

function listPlane(before: number): PlaneBuilder {
  let rows = before;
  let starts = new Uint32Array(Math.max(1024, 2 * before));
  let list = new Uint32Array(4096);
  let length = 0;
  return {
    addRow() {
      if (rows === starts.length) starts = extended(starts);
      starts[rows] = length;
      rows += 1;
    },
    mark(classIndex) {
      if (length === list.length) list = extended(list);
      list[length] = classIndex;
      length += 1;
    },
    finish() {
      const entries = list.slice(0, length);
      const ends = new Uint32Array(rows + 1);
      ends.set(starts.subarray(0, rows));
      ends[rows] = length;
      const classes = (row: number) => entries.subarray(ends[row], ends[row + 1]);
      for (let row = 0; row < rows; row++) classes(row).sort();
      return {
        classes,
        any: (row) => ends[row] !== ends[row + 1],
        has(row, classIndex) {
          let [low, high] = [ends[row]!, ends[row + 1]!];
          while (low < high) {
            const middle = (low + high) >>> 1;
            if (entries[middle]! < classIndex) low = middle + 1;
            else high = middle;
          }
          return low < ends[row + 1]! && entries[low] === classIndex;
        },
      };
    },
  };
}

function extended(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * array.length);
  larger.set(array);
  return larger;
}
