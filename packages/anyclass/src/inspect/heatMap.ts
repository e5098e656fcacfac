// A chart of which classes, or groups of classes, occur together.

import { type MatrixCell, matrix } from '@anyclass/kit';
import type { Chart } from '../pages/blocks.js';

/** More would be too small to read; the table of pairs has the others. */
const mostInHeatMap = 20;

export interface HeatMapOptions {
  /** Name of the chart's file. */
  readonly name: string;
  /** What a row is: 'class' or 'group'. */
  readonly what: string;
  readonly names: readonly string[];
  /** Total number of rows, if only the most common were counted in pairs. Default: the number of names. */
  readonly of?: number;
  /** Number of instances with both; the row's own count on the diagonal. */
  readonly together: readonly (readonly number[])[];
}

/**
 * How often the column's class is present among instances with the row's class, in percent. Counts instead of
 * percentages would only show that common classes are common. If there are many classes, only the most common
 * are shown, and the title says so.
 *
 * @example
 * heatMapChart({ name: 'cooccurrence', what: 'class', names: ['cat', 'dog'], together: [[4, 1], [1, 1]] })
 */
export function heatMapChart({ name, what, names: all, of = all.length, together }: HeatMapOptions): Chart {
  const kept = all
    .map((own, j) => ({ own, j, count: together[j]![j]! }))
    .sort((a, b) => b.count - a.count)
    .slice(0, mostInHeatMap)
    .sort((a, b) => a.j - b.j);
  const shares = kept.map((row, y) =>
    kept.map((column, x) => (x === y || row.count === 0 ? null : together[row.j]![column.j]! / row.count)),
  );
  const most = Math.max(0.01, ...shares.flat().map((share) => share ?? 0));
  const cells = shares.map((row, y) =>
    row.map((share, x): MatrixCell => {
      if (share === null) return { share: null, text: '', label: '' };
      const percent = Math.round(1000 * share) / 10;
      const label = `of the instances with ${kept[y]!.own}, ${percent}% have ${kept[x]!.own}`;
      return { share: share / most, text: percent === 0 ? '' : String(Math.round(percent)), label };
    }),
  );
  const part =
    kept.length < of ? `; the ${kept.length} most common of ${of}; the table of pairs has more` : '';
  const title = `Percentage of instances with the row’s ${what} that also have the column’s${part}`;
  const told = `${title}. ${kept.map(({ own }) => own).join(', ')}`;
  return {
    name,
    title,
    svg: matrix(
      told,
      kept.map(({ own }) => own),
      cells,
    ),
  };
}
