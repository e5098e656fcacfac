import { inOneLine } from '../errors/escaped.js';
import { cellText } from './cellText.js';
import { type Alignment, alignment, checked, groupSpans, hasGroups, type Table } from './table.js';

/**
 * A table for a terminal: title, headings, rows, note.
 *
 * @example
 * textTable({
 *   title: 'Test',
 *   columns: [{ title: 'loss', kind: 'text' }, { title: 'F1', kind: 'percent' }],
 *   rows: [['bce', 0.6313], ['any-bce', 0.6423]],
 * })
 * // Test
 * //
 * // loss        F1
 * // bce      63.13
 * // any-bce  64.23
 */
export function textTable(table: Table): string {
  const { title, note, columns, rows } = checked(table);
  const headings = columns.map((column) => column.title);
  const body = rows.map((row) => row.map((cell, column) => cellText(cell, columns[column]!)));
  const lines = alignedColumns([headings, ...body], columns.map(alignment), groupTitles(table));
  return [...(title === '' ? [] : [title]), lines, ...(note === undefined ? [] : [note])].join('\n\n');
}

/**
 * Rows of text as padded columns. By default, the first is left-aligned and the others are right-aligned.
 * `groups` are headings above several columns.
 *
 * @example
 * alignedColumns([['loss', 'F1'], ['any-bce', '64.23']]) // 'loss        F1\nany-bce  64.23'
 */
export function alignedColumns(
  given: readonly (readonly string[])[],
  alignments: readonly Alignment[] = [],
  groups: readonly { readonly title: string; readonly span: number }[] = [],
): string {
  const columns = given[0]?.length ?? 0;
  const rows = given.map((row) => row.map(inOneLine));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => width(row[column]!))),
  );
  const spanWidths: number[] = [];
  let first = 0;
  for (const { title, span } of groups) {
    const missing = width(title) - spanWidth(widths, first, span);
    if (missing > 0) widths[first]! += missing;
    spanWidths.push(spanWidth(widths, first, span));
    first += span;
  }
  const heading = groups.map(({ title }, i) => aligned(title, spanWidths[i]!, 'center')).join(gap);
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        aligned(cell, widths[column]!, alignments[column] ?? (column === 0 ? 'left' : 'right')),
      )
      .join(gap),
  );
  return [...(groups.length > 0 ? [heading] : []), ...lines].map((line) => line.trimEnd()).join('\n');
}

const gap = '  ';

function groupTitles(table: Table) {
  return hasGroups(table) ? groupSpans(table) : [];
}

function spanWidth(widths: readonly number[], first: number, span: number): number {
  const spanned = widths.slice(first, first + span);
  return spanned.reduce((sum, each) => sum + each, 0) + gap.length * (span - 1);
}

function aligned(text: string, to: number, align: Alignment): string {
  const missing = Math.max(0, to - width(text));
  const before = align === 'left' ? 0 : align === 'right' ? missing : Math.floor(missing / 2);
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

function width(text: string): number {
  return [...text].length;
}
