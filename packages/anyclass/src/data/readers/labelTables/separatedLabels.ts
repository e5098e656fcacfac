// Labels in one column: several in a cell ('Effusion|Mass'), or one per row with an image in several rows.

import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { nearestOrAll } from '../../../errors/nearest.js';
import { labelMatrixBuilder } from '../../dataset/labelMatrix.js';
import { growingFloat32, growingInt32 } from '../../dataset/typedArrays.js';
import { targetIn, UNCERTAIN } from '../../tables/labelCells.js';
import type { CollectedLabels, LabelCells, SeparatedOptions } from './collectedLabels.js';
import type { ImageRows } from './imageRows.js';
import { valuedLabels } from './valuedLabels.js';

/** Collects the label cell of each row. Each distinct cell is kept once. */
export interface SeparatedLabels {
  /** Adds a row's cell; `target` if a column gives the value of its single label. */
  add(cell: string, target?: number): void;
  finish(rows: ImageRows, options: SeparatedOptions): CollectedLabels;
}

/** Separates the labels of a Parquet list, which are already separate. */
export const LIST_SEPARATOR = '\u001f';

/**
 * Creates an empty collection.
 *
 * @example
 * const collected = separatedLabels();
 * collected.add('cat|dog');
 * collected.finish(singleRows(1), options).classes // ['cat', 'dog']
 */
export function separatedLabels(): SeparatedLabels {
  const codeOf = new Map<string, number>();
  const firstRows: number[] = [];
  const codes = growingInt32();
  const targets = growingFloat32();
  let hasTargets = false;
  return {
    add(cell, target) {
      let code = codeOf.get(cell);
      if (code === undefined) {
        code = codeOf.size;
        codeOf.set(cell, code);
        firstRows.push(codes.length);
      }
      codes.push(code);
      if (target === undefined) return;
      hasTargets = true;
      targets.push(target);
    },
    finish(rows, options) {
      const cells = [...codeOf.keys()];
      if (!hasTargets && !options.classes && isOneClass(cells)) {
        return oneClass(cells, codes.finish(), rows, options);
      }
      const isOneARow = hasTargets || rows.images < codes.length;
      const separator = isOneARow
        ? statedSeparator(cells, options, (code) => options.placeOf(firstRows[code]!))
        : (options.separator ?? commonSeparator(cells));
      const labels = cells.map((cell) => labelsIn(cell, separator, options.negativeLabel));
      const classes = options.classes ?? [...new Set(labels.flat())].sort();
      const read = {
        classes,
        codes: codes.finish(),
        indices: indicesOf(labels, classes, (code) => options.placeOf(firstRows[code]!)),
      };
      return hasTargets
        ? valuedLabels(read, targets.finish(), rows, options)
        : presentLabels(read, rows, options);
    },
  };
}

/** Marks a class as present in an image if any of its rows names it. */
function presentLabels(
  { indices, classes, codes }: LabelCells,
  rows: ImageRows,
  { placeOf, nameOf }: SeparatedOptions,
): CollectedLabels {
  const builder = labelMatrixBuilder(classes.length);
  const contradicting: string[] = [];
  for (let image = 0; image < rows.images; image++) {
    builder.addRow();
    let [any, negative] = [false, -1];
    for (let row = rows.firstRow(image); row >= 0; row = rows.nextRow(row)) {
      const present = indices[codes[row]!]!;
      for (const index of present) builder.set(index);
      if (present.length > 0) any = true;
      else negative = row;
    }
    if (any && negative >= 0) contradicting.push(`${nameOf(negative)} (${placeOf(negative)})`);
  }
  const text = `${inflected(contradicting.length, 'image')} with both labeled rows and a row without a label (the labels count)`;
  const remark = { text, count: contradicting.length, examples: contradicting.slice(0, 10) };
  return { labels: builder.finish(), classes, remarks: contradicting.length > 0 ? [remark] : [] };
}

/** Reads a column of 0 and 1 as one class, not two: `id,label` for a yes-or-no question. */
function oneClass(
  cells: readonly string[],
  codes: Int32Array,
  rows: ImageRows,
  { column, uncertain, placeOf, nameOf }: SeparatedOptions,
): CollectedLabels {
  const builder = labelMatrixBuilder(1);
  for (let image = 0; image < rows.images; image++) {
    const first = rows.firstRow(image);
    for (let row = rows.nextRow(first); row >= 0; row = rows.nextRow(row)) {
      if (codes[row] === codes[first]) continue;
      throw new DataError(
        `${placeOf(row)}: image '${nameOf(row)}' has the label '${cells[codes[row]!]}' here and '${cells[codes[first]!]}' in ${placeOf(first)}; correct one of them`,
      );
    }
    builder.addRow();
    const target = targetIn(cells[codes[first]!]!)!;
    if (target === UNCERTAIN) builder.setUncertain(0, uncertain);
    else builder.set(0, target);
  }
  const text = `column, '${column}', has 0 and 1 instead of names: read as one class of that name`;
  return { labels: builder.finish(), classes: [column], remarks: [{ text, count: 1, examples: [] }] };
}

function isOneClass(cells: readonly string[]): boolean {
  const targets = cells.map(targetIn);
  return targets.every((target) => target !== undefined) && targets.some((target) => target! < 1);
}

/**
 * If each row has one label, a separator may be part of its name, so nothing is split
 * unless the user says so.
 */
function statedSeparator(
  cells: readonly string[],
  { separator }: SeparatedOptions,
  placeOf: (code: number) => string,
): string | undefined {
  const common = separator ?? commonSeparator(cells);
  if (separator !== undefined || common === undefined || common === LIST_SEPARATOR) return common;
  const code = cells.findIndex((cell) => cell.includes(common));
  throw new DataError(
    `${placeOf(code)}: label '${cells[code]}' contains '${common}' in a table with one row per label. Set data.columns.separator to '${common}' if it separates labels, or to '' if it belongs to the name`,
    { setting: `data.columns.separator=${JSON.stringify(common)}` },
  );
}

function commonSeparator(cells: readonly string[]): string | undefined {
  return [LIST_SEPARATOR, '|', ';', ','].find((separator) => cells.some((cell) => cell.includes(separator)));
}

function labelsIn(cell: string, separator: string | undefined, negativeLabel: string | undefined): string[] {
  const parts = separator === undefined || separator === '' ? [cell] : cell.split(separator);
  return parts.map((part) => part.trim()).filter((label) => label !== '' && label !== negativeLabel);
}

function indicesOf(
  cells: readonly (readonly string[])[],
  classes: readonly string[],
  placeOf: (code: number) => string,
): number[][] {
  const classIndex = new Map(classes.map((name, index) => [name, index]));
  return cells.map((labels, code) =>
    labels.map((label) => {
      const index = classIndex.get(label);
      if (index !== undefined) return index;
      throw new DataError(
        `${placeOf(code)}: unknown label '${label}'; ${nearestOrAll(label, classes, 'the classes are')}`,
      );
    }),
  );
}
