import { type InstancePresence, PRESENT_FROM } from '@anyclass/core';
import { type Plane, type PlaneBuilder, planeBuilder } from './labelPlanes.js';

/**
 * The targets of all rows: 1 present, 0 absent, a number in between, or NaN for unknown. Each takes at most
 * two bits (a plane for targets of 0.5 or more, and one for unknown targets, if any). With many classes,
 * memory is proportional to the number of present labels. Each soft target takes an extra entry.
 */
export interface LabelMatrix {
  readonly rows: number;
  readonly classes: number;
  /** The target, 0 to 1 in single precision, or NaN for unknown. */
  at(row: number, classIndex: number): number;
  /** The classes whose target is known and 0.5 or more, in ascending order. */
  present(row: number): ArrayLike<number> & Iterable<number>;
  /** Whether the target is known and 0.5 or more. */
  isPresent(row: number, classIndex: number): boolean;
  /** Whether the table said 'uncertain', however that was read. */
  isUncertain(row: number, classIndex: number): boolean;
  /** Whether any class of the row is known. */
  isLabeled(row: number): boolean;
  /** Like core's `instancePresence`. */
  presence(row: number): InstancePresence;
  /** Writes the targets of a row into `out` from `offset` on. */
  copyRow(row: number, out: Float32Array, offset: number): void;
  readonly hasUnknown: boolean;
  readonly hasUncertain: boolean;
  readonly hasSoft: boolean;
}

/**
 * Collects targets row by row: `addRow`, then `set` for that row, each class once. Classes
 * that are not set are absent.
 */
export interface LabelMatrixBuilder {
  readonly rows: number;
  addRow(): void;
  /** Sets a target: 0 to 1, or NaN for unknown. Default 1. */
  set(classIndex: number, target?: number): void;
  /** The same, remembering that the table said 'uncertain'. */
  setUncertain(classIndex: number, target: number): void;
  finish(): LabelMatrix;
}

/**
 * Creates an empty builder.
 *
 * @example
 * const labels = labelMatrixBuilder(3);
 * labels.addRow();
 * labels.set(1);
 * labels.set(2, 0.25);
 * labels.finish().at(0, 2) // 0.25
 */
export function labelMatrixBuilder(classes: number): LabelMatrixBuilder {
  let rows = 0;
  const present = planeBuilder(classes, 0);
  let unknown: PlaneBuilder | undefined;
  let uncertain: PlaneBuilder | undefined;
  // Keyed by row * classes + class: few targets are between 0 and 1.
  const soft = new Map<number, number>();
  const set = (classIndex: number, target = 1) => {
    const value = Math.fround(target);
    if (Number.isNaN(value)) {
      unknown ??= planeBuilder(classes, rows);
      unknown.mark(classIndex);
      return;
    }
    if (!(value >= 0 && value <= 1)) throw new RangeError(`target is ${target}; expected 0 to 1, or NaN`);
    if (value >= PRESENT_FROM) present.mark(classIndex);
    if (value !== 0 && value !== 1) soft.set((rows - 1) * classes + classIndex, value);
  };
  return {
    get rows() {
      return rows;
    },
    addRow() {
      rows += 1;
      present.addRow();
      unknown?.addRow();
      uncertain?.addRow();
    },
    set,
    setUncertain(classIndex, target) {
      uncertain ??= planeBuilder(classes, rows);
      uncertain.mark(classIndex);
      set(classIndex, target);
    },
    finish: () =>
      labelMatrix(rows, classes, {
        present: present.finish(),
        unknown: unknown?.finish(),
        uncertain: uncertain?.finish(),
        soft: soft.size > 0 ? soft : undefined,
      }),
  };
}

/**
 * Selects the labels of some classes, in the given order, as `coco-41` does with COCO's 80 classes.
 *
 * @example
 * selectClasses(labels, [3, 1]).at(0, 1) === labels.at(0, 1)
 */
export function selectClasses(labels: LabelMatrix, kept: readonly number[]): LabelMatrix {
  const builder = labelMatrixBuilder(kept.length);
  const isPartial =
    labels.hasUnknown || labels.hasUncertain || labels.hasSoft || new Set(kept).size < kept.length;
  const placeOf = new Int32Array(labels.classes).fill(-1);
  kept.forEach((j, place) => {
    placeOf[j] = place;
  });
  for (let row = 0; row < labels.rows; row++) {
    builder.addRow();
    if (!isPartial) {
      for (const j of labels.present(row)) if (placeOf[j] !== -1) builder.set(placeOf[j]!);
      continue;
    }
    for (let j = 0; j < kept.length; j++) {
      const target = labels.at(row, kept[j]!);
      if (labels.isUncertain(row, kept[j]!)) builder.setUncertain(j, target);
      else if (target !== 0) builder.set(j, target);
    }
  }
  return builder.finish();
}

/** A target that replaces another. */
export interface TargetChange {
  /** 0 to 1, or NaN for unknown. */
  readonly target: number;
  /** Whether the label is 'uncertain', however that is read. */
  readonly isUncertain: boolean;
}

/**
 * Replaces some targets, by row and class.
 *
 * @example
 * const change = { target: 1, isUncertain: false };
 * replaceTargets(labels, new Map([[7, new Map([[0, change]])]])).at(7, 0) // 1
 */
export function replaceTargets(
  labels: LabelMatrix,
  changes: ReadonlyMap<number, ReadonlyMap<number, TargetChange>>,
): LabelMatrix {
  const builder = labelMatrixBuilder(labels.classes);
  const isPartial = labels.hasUnknown || labels.hasUncertain || labels.hasSoft;
  for (let row = 0; row < labels.rows; row++) {
    builder.addRow();
    const ofRow = changes.get(row);
    if (!ofRow && !isPartial) {
      for (const j of labels.present(row)) builder.set(j);
      continue;
    }
    for (let j = 0; j < labels.classes; j++) {
      const { target, isUncertain } = ofRow?.get(j) ?? {
        target: labels.at(row, j),
        isUncertain: labels.isUncertain(row, j),
      };
      if (isUncertain) builder.setUncertain(j, target);
      else if (target !== 0) builder.set(j, target);
    }
  }
  return builder.finish();
}

interface Planes {
  /** Targets of 0.5 or more. */
  readonly present: Plane;
  readonly unknown: Plane | undefined;
  readonly uncertain: Plane | undefined;
  /** Targets between 0 and 1. */
  readonly soft: ReadonlyMap<number, number> | undefined;
}

function labelMatrix(
  rows: number,
  classes: number,
  { present, unknown, uncertain, soft }: Planes,
): LabelMatrix {
  const at = (row: number, classIndex: number) => {
    if (unknown?.has(row, classIndex)) return Number.NaN;
    return soft?.get(row * classes + classIndex) ?? Number(present.has(row, classIndex));
  };
  const isPlain = unknown === undefined && soft === undefined;
  return {
    rows,
    classes,
    at,
    hasUnknown: unknown !== undefined,
    hasUncertain: uncertain !== undefined,
    hasSoft: soft !== undefined,
    present: present.classes,
    isPresent: present.has,
    isUncertain: (row, classIndex) => uncertain?.has(row, classIndex) ?? false,
    isLabeled: (row) => classes > 0 && !(unknown && unknown.classes(row).length === classes),
    presence(row) {
      if (present.any(row)) return 'positive';
      return unknown?.any(row) ? 'undecided' : 'negative';
    },
    copyRow(row, out, offset) {
      if (isPlain) {
        out.fill(0, offset, offset + classes);
        for (const j of present.classes(row)) out[offset + j] = 1;
      } else for (let j = 0; j < classes; j++) out[offset + j] = at(row, j);
    },
  };
}
