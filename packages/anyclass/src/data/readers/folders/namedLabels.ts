import { DataError } from '../../../errors/dataError.js';
import { nearestOrAll } from '../../../errors/nearest.js';
import { type LabelMatrix, labelMatrixBuilder } from '../../dataset/labelMatrix.js';
import { type ObjectBox, type ObjectBoxes, objectBoxesBuilder } from '../../dataset/objectBoxes.js';
import { growingInt32 } from '../../dataset/typedArrays.js';

/** The labels of an image by name. */
export interface ImageLabels {
  readonly present: Iterable<string>;
  /** Labels that may be present: objects marked as difficult. */
  readonly uncertain?: Iterable<string>;
  /** The objects whose boxes are known. */
  readonly objects?: readonly LabeledObject[];
}

/** An object in an image. */
export interface LabeledObject extends ObjectBox {
  readonly name: string;
}

/** Collects the labels of images row by row, when the classes are not known in advance. */
export interface NamedLabels {
  readonly rows: number;
  /** Adds a row; undefined labels are unknown. `where` is kept for the first occurrence of each label. */
  addRow(labels: ImageLabels | undefined, where: string): void;
  finish(options: NamedLabelOptions): {
    readonly labels: LabelMatrix;
    readonly classes: readonly string[];
    readonly objects?: ObjectBoxes;
  };
}

export interface NamedLabelOptions {
  /** The classes in order; any other label is an error. Default: all that occur, by name. */
  readonly classes?: readonly string[] | undefined;
  /** The target of an uncertain label. */
  readonly uncertain: number;
  /** Ranges of rows that turned out to have no labels at all; `to` is exclusive. */
  readonly unknownRows?: readonly { readonly from: number; readonly to: number }[];
}

/**
 * Creates an empty collection.
 *
 * @example
 * const labels = namedLabels();
 * labels.addRow({ present: ['cat'] }, 'a.xml');
 * labels.finish({ uncertain: Number.NaN }).classes // ['cat']
 */
export function namedLabels(): NamedLabels {
  const codeOf = new Map<string, number>();
  const firstPlace: string[] = [];
  // The code of a label is twice its number, plus 1 if it is uncertain. -1 stands for unknown labels.
  const codes = growingInt32();
  const ends = growingInt32();
  const objects: (LabeledObject & { readonly row: number })[] = [];
  const add = (name: string, where: string, isUncertain: number) => {
    let code = codeOf.get(name);
    if (code === undefined) {
      code = codeOf.size;
      codeOf.set(name, code);
      firstPlace.push(where);
    }
    codes.push(2 * code + isUncertain);
  };
  return {
    get rows() {
      return ends.length;
    },
    addRow(labels, where) {
      if (labels === undefined) codes.push(-1);
      else {
        const present = new Set(labels.present);
        for (const name of present) add(name, where, 0);
        for (const name of new Set(labels.uncertain)) if (!present.has(name)) add(name, where, 1);
        for (const object of labels.objects ?? []) objects.push({ ...object, row: ends.length });
      }
      ends.push(codes.length);
    },
    finish({ classes = [...codeOf.keys()].sort(), uncertain, unknownRows = [] }) {
      const classIndex = new Map(classes.map((name, index) => [name, index]));
      const indexOfCode = [...codeOf].map(([name, code]) => {
        const index = classIndex.get(name);
        if (index !== undefined) return index;
        throw new DataError(
          `${firstPlace[code]}: unknown label '${name}'; ${nearestOrAll(name, classes, 'the classes are')}`,
        );
      });
      const builder = labelMatrixBuilder(classes.length);
      const all = codes.finish();
      let start = 0;
      for (const [row, end] of ends.finish().entries()) {
        builder.addRow();
        const isUnknown =
          (start < end && all[start] === -1) || unknownRows.some(({ from, to }) => row >= from && row < to);
        for (let j = 0; j < classes.length && isUnknown; j++) builder.set(j, Number.NaN);
        for (let i = start; i < end && !isUnknown; i++) {
          const code = all[i]!;
          if (code % 2 === 0) builder.set(indexOfCode[code >> 1]!);
          else builder.setUncertain(indexOfCode[code >> 1]!, uncertain);
        }
        start = end;
      }
      const boxes = objectBoxesBuilder();
      for (const { row, name, ...box } of objects) boxes.add(row, classIndex.get(name)!, box);
      const found = boxes.finish();
      return { labels: builder.finish(), classes, ...(found && { objects: found }) };
    },
  };
}
