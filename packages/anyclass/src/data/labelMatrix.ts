/** Label of a class that nobody looked for in an instance: left out of the loss, of counts and of 'negative'. */
export const UNKNOWN = 255;

/** Whether an instance shows any class: `positive`, `negative`, or `unknown` where a missing label could decide. */
export type Presence = 'positive' | 'negative' | 'unknown';

/** The labels of all rows, a bit each: 1 present, 0 absent; a second plane only if some are unknown. */
export interface LabelMatrix {
  readonly rows: number;
  readonly classes: number;
  /** 1 present, 0 absent, {@link UNKNOWN}. */
  at(row: number, classIndex: number): number;
  presence(row: number): Presence;
  /** Write the labels of a row into `out` from `offset` on, one byte a class. */
  copyRow(row: number, out: Uint8Array, offset: number): void;
  readonly hasUnknown: boolean;
}

/** Collects labels row by row: `addRow`, then `set` and `setUnknown` for that last row. */
export interface LabelMatrixBuilder {
  readonly rows: number;
  addRow(): void;
  set(classIndex: number): void;
  setUnknown(classIndex: number): void;
  finish(): LabelMatrix;
}

/**
 * @example
 * const labels = labelMatrixBuilder(3);
 * labels.addRow();
 * labels.set(1);
 * labels.finish().at(0, 1) // 1
 */
export function labelMatrixBuilder(classes: number): LabelMatrixBuilder {
  const stride = wordsFor(classes);
  let present: Uint32Array = new Uint32Array(stride * 1024);
  let unknown: Uint32Array | undefined;
  let rows = 0;
  const mark = (plane: Uint32Array, classIndex: number) => {
    const word = (rows - 1) * stride + (classIndex >>> 5);
    plane[word] = plane[word]! | (1 << (classIndex & 31));
  };
  return {
    get rows() {
      return rows;
    },
    addRow() {
      rows += 1;
      if (rows * stride > present.length) {
        present = grown(present);
        if (unknown) unknown = grown(unknown);
      }
    },
    set: (classIndex) => mark(present, classIndex),
    setUnknown(classIndex) {
      unknown ??= new Uint32Array(present.length);
      mark(unknown, classIndex);
    },
    finish: () =>
      labelMatrix(rows, classes, present.slice(0, rows * stride), unknown?.slice(0, rows * stride)),
  };
}

/**
 * The labels of some classes, in the order given: how `coco-41` comes from the 80 classes of COCO.
 *
 * @example
 * selectClasses(labels, [3, 1]).at(0, 1) === labels.at(0, 1)
 */
export function selectClasses(labels: LabelMatrix, kept: readonly number[]): LabelMatrix {
  const builder = labelMatrixBuilder(kept.length);
  for (let row = 0; row < labels.rows; row++) {
    builder.addRow();
    for (let j = 0; j < kept.length; j++) {
      const label = labels.at(row, kept[j]!);
      if (label === 1) builder.set(j);
      else if (label === UNKNOWN) builder.setUnknown(j);
    }
  }
  return builder.finish();
}

function labelMatrix(
  rows: number,
  classes: number,
  present: Uint32Array,
  unknown: Uint32Array | undefined,
): LabelMatrix {
  const stride = wordsFor(classes);
  const bit = (plane: Uint32Array, row: number, classIndex: number) =>
    (plane[row * stride + (classIndex >>> 5)]! >>> (classIndex & 31)) & 1;
  const any = (plane: Uint32Array, row: number) => {
    for (let word = row * stride; word < (row + 1) * stride; word++) if (plane[word] !== 0) return true;
    return false;
  };
  const at = (row: number, classIndex: number) =>
    unknown && bit(unknown, row, classIndex) === 1 ? UNKNOWN : bit(present, row, classIndex);
  return {
    rows,
    classes,
    at,
    hasUnknown: unknown !== undefined,
    presence(row) {
      if (any(present, row)) return 'positive';
      return unknown && any(unknown, row) ? 'unknown' : 'negative';
    },
    copyRow(row, out, offset) {
      for (let j = 0; j < classes; j++) out[offset + j] = at(row, j);
    },
  };
}

/** 32-bit words a row; at least one, so that a table without classes still has rows. */
function wordsFor(classes: number): number {
  return Math.max(1, Math.ceil(classes / 32));
}

function grown(plane: Uint32Array): Uint32Array {
  const larger = new Uint32Array(plane.length * 2);
  larger.set(plane);
  return larger;
}
