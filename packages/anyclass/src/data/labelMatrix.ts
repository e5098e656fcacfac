import { type InstancePresence, PRESENT_FROM } from '@anyclass/core';

/**
 * The targets of all rows: 1 present, 0 absent, a number between, or NaN where nobody looked. Two bits each at most (a
 * plane of those at 0.5 or more, a plane of unknown ones where there are any); a plane of floats only where some are soft.
 */
export interface LabelMatrix {
  readonly rows: number;
  readonly classes: number;
  /** 0 to 1 in single precision, or NaN where unknown. */
  at(row: number, classIndex: number): number;
  /** Whether the target is known and 0.5 or more. */
  isPresent(row: number, classIndex: number): boolean;
  /** Whether the table said 'uncertain', whatever that was then read as. */
  isUncertain(row: number, classIndex: number): boolean;
  /** Whether any class of the row is known. */
  isLabeled(row: number): boolean;
  /** As core's `instancePresence` has it. */
  presence(row: number): InstancePresence;
  /** Write the targets of a row into `out` from `offset` on. */
  copyRow(row: number, out: Float32Array, offset: number): void;
  readonly hasUnknown: boolean;
  readonly hasUncertain: boolean;
  readonly hasSoft: boolean;
}

/** Collects targets row by row: `addRow`, then `set` for that last row, each class once. Classes left out are absent. */
export interface LabelMatrixBuilder {
  readonly rows: number;
  addRow(): void;
  /** 0 to 1, or NaN for unknown. Default 1. */
  set(classIndex: number, target?: number): void;
  /** The same, remembering that the table said 'uncertain'. */
  setUncertain(classIndex: number, target: number): void;
  finish(): LabelMatrix;
}

/**
 * @example
 * const labels = labelMatrixBuilder(3);
 * labels.addRow();
 * labels.set(1);
 * labels.set(2, 0.25);
 * labels.finish().at(0, 2) // 0.25
 */
export function labelMatrixBuilder(classes: number): LabelMatrixBuilder {
  const stride = wordsFor(classes);
  let capacity = 1024;
  let rows = 0;
  let present = new Uint32Array(stride * capacity);
  let unknown: Uint32Array | undefined;
  let uncertain: Uint32Array | undefined;
  let soft: Float32Array | undefined;
  const mark = (plane: Uint32Array, classIndex: number) => {
    const word = (rows - 1) * stride + (classIndex >>> 5);
    plane[word] = plane[word]! | (1 << (classIndex & 31));
  };
  const set = (classIndex: number, target = 1) => {
    const value = Math.fround(target);
    if (Number.isNaN(value)) {
      unknown ??= new Uint32Array(stride * capacity);
      mark(unknown, classIndex);
      return;
    }
    if (!(value >= 0 && value <= 1)) throw new RangeError(`target is ${target}; expected 0 to 1, or NaN`);
    if (value >= PRESENT_FROM) mark(present, classIndex);
    if (value === 0 || value === 1) return;
    soft ??= new Float32Array(classes * capacity);
    soft[(rows - 1) * classes + classIndex] = value;
  };
  return {
    get rows() {
      return rows;
    },
    addRow() {
      rows += 1;
      if (rows <= capacity) return;
      capacity *= 2;
      present = extended(present, new Uint32Array(stride * capacity));
      if (unknown) unknown = extended(unknown, new Uint32Array(stride * capacity));
      if (uncertain) uncertain = extended(uncertain, new Uint32Array(stride * capacity));
      if (soft) soft = extended(soft, new Float32Array(classes * capacity));
    },
    set,
    setUncertain(classIndex, target) {
      uncertain ??= new Uint32Array(stride * capacity);
      mark(uncertain, classIndex);
      set(classIndex, target);
    },
    finish: () =>
      labelMatrix(rows, classes, {
        present: present.slice(0, rows * stride),
        unknown: unknown?.slice(0, rows * stride),
        uncertain: uncertain?.slice(0, rows * stride),
        soft: soft?.slice(0, rows * classes),
      }),
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
      const target = labels.at(row, kept[j]!);
      if (labels.isUncertain(row, kept[j]!)) builder.setUncertain(j, target);
      else if (target !== 0) builder.set(j, target);
    }
  }
  return builder.finish();
}

interface Planes {
  /** Targets of 0.5 and more. */
  readonly present: Uint32Array;
  readonly unknown: Uint32Array | undefined;
  readonly uncertain: Uint32Array | undefined;
  /** Targets between 0 and 1, one a class; 0 where the bits say it all. */
  readonly soft: Float32Array | undefined;
}

function labelMatrix(
  rows: number,
  classes: number,
  { present, unknown, uncertain, soft }: Planes,
): LabelMatrix {
  const stride = wordsFor(classes);
  const bit = (plane: Uint32Array, row: number, classIndex: number) =>
    (plane[row * stride + (classIndex >>> 5)]! >>> (classIndex & 31)) & 1;
  const any = (plane: Uint32Array, row: number) => {
    for (let word = row * stride; word < (row + 1) * stride; word++) if (plane[word] !== 0) return true;
    return false;
  };
  const at = (row: number, classIndex: number) => {
    if (unknown && bit(unknown, row, classIndex) === 1) return Number.NaN;
    if (soft) {
      const value = soft[row * classes + classIndex]!;
      if (value !== 0) return value;
    }
    return bit(present, row, classIndex);
  };
  return {
    rows,
    classes,
    at,
    hasUnknown: unknown !== undefined,
    hasUncertain: uncertain !== undefined,
    hasSoft: soft !== undefined,
    isPresent: (row, classIndex) => bit(present, row, classIndex) === 1,
    isUncertain: (row, classIndex) => uncertain !== undefined && bit(uncertain, row, classIndex) === 1,
    isLabeled(row) {
      for (let j = 0; j < classes; j++) if (!(unknown && bit(unknown, row, j) === 1)) return true;
      return false;
    },
    presence(row) {
      if (any(present, row)) return 'positive';
      return unknown && any(unknown, row) ? 'undecided' : 'negative';
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

function extended<Plane extends Uint32Array | Float32Array>(plane: Plane, larger: Plane): Plane {
  larger.set(plane);
  return larger;
}
