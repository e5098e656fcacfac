import { DataError } from '../../errors/dataError.js';
import { nearestOrAll } from '../../errors/nearest.js';
import { type LabelMatrix, labelMatrixBuilder } from '../labelMatrix.js';
import { growingInt32 } from '../typedArrays.js';

/** Collects one cell of labels a row: 'Effusion|Mass'. Each different cell is kept once. */
export interface SeparatedLabels {
  add(cell: string, where: () => string): void;
  finish(options: SeparatedOptions): { readonly labels: LabelMatrix; readonly classes: readonly string[] };
}

export interface SeparatedOptions {
  readonly separator?: string | undefined;
  readonly negativeLabel?: string | undefined;
  /** The classes in order; a label outside them is an error. Default: all that occur, by name. */
  readonly classes?: readonly string[] | undefined;
}

/** Separates the labels of a Parquet list, which come apart already. */
export const LIST_SEPARATOR = '\u001f';

/**
 * @example
 * const collected = separatedLabels();
 * collected.add('cat|dog', () => 'train.csv, line 2');
 * collected.finish({}).classes // ['cat', 'dog']
 */
export function separatedLabels(): SeparatedLabels {
  const codes = new Map<string, number>();
  const firstSeen: string[] = [];
  const rows = growingInt32();
  return {
    add(cell, where) {
      let code = codes.get(cell);
      if (code === undefined) {
        code = codes.size;
        codes.set(cell, code);
        firstSeen.push(where());
      }
      rows.push(code);
    },
    finish(options) {
      const cells = [...codes.keys()];
      const separator = options.separator ?? commonSeparator(cells);
      const split = cells.map((cell) => labelsIn(cell, separator, options.negativeLabel));
      const classes = options.classes ?? [...new Set(split.flat())].sort();
      const classIndex = new Map(classes.map((name, index) => [name, index]));
      const indices = split.map((labels, code) =>
        labels.map((label) => {
          const index = classIndex.get(label);
          if (index !== undefined) return index;
          throw new DataError(
            `${firstSeen[code]!}: unknown label '${label}'; ${nearestOrAll(label, classes, 'the classes are')}`,
          );
        }),
      );
      const builder = labelMatrixBuilder(classes.length);
      for (const code of rows.finish()) {
        builder.addRow();
        for (const index of indices[code]!) builder.set(index);
      }
      return { labels: builder.finish(), classes };
    },
  };
}

function commonSeparator(cells: readonly string[]): string | undefined {
  return [LIST_SEPARATOR, '|', ';', ','].find((separator) => cells.some((cell) => cell.includes(separator)));
}

function labelsIn(cell: string, separator: string | undefined, negativeLabel: string | undefined): string[] {
  const parts = separator === undefined ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((label) => label !== '' && label !== negativeLabel);
}
