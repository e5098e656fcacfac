import { breakable, escaped } from '@anyclass/kit';
import { cellParts, emphasisOf } from './cellText.js';
import { alignment, type Cell, checked, groupSpans, hasGroups, measured, type Table } from './table.js';

/**
 * A table as an HTML element. Numeric cells carry the full-precision number as `data-value`.
 *
 * @example
 * htmlTable({
 *   title: 'Test',
 *   columns: [{ title: 'loss', kind: 'text' }, { title: 'F1', kind: 'percent' }],
 *   rows: [['bce', 0.6313]],
 * }) // '<table><caption>Test</caption><thead>…<th scope="row" class="left">bce</th><td class="right" data-value="0.6313">63.13</td>…'
 */
export function htmlTable(table: Table): string {
  const { title, columns, rows } = checked(table);
  const groups = hasGroups(table) ? `<tr>${groupSpans(table).map(groupCell).join('')}</tr>` : '';
  const headings = columns.map(
    (column) => `<th scope="col" class="${alignment(column)}">${nameText(column.title)}</th>`,
  );
  const header = columns.some((column) => column.title !== '') ? `<tr>${headings.join('')}</tr>` : '';
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const column = columns[at]!;
      const [value, uncertainty] = cellParts(cell, column);
      const text =
        (column.kind === 'text' ? nameText(value) : escaped(value)) +
        (uncertainty === undefined ? '' : ` <span class="uncertainty">${escaped(uncertainty)}</span>`);
      const isLong = column.kind === 'text' && value.length > 40;
      const classes = [alignment(column), emphasisOf(cell), isLong ? 'long' : undefined]
        .filter((name) => name !== undefined)
        .join(' ');
      return at === 0 && column.kind === 'text'
        ? `<th scope="row" class="${classes}">${text}</th>`
        : `<td class="${classes}"${valueAttribute(cell)}>${text}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const caption = title === '' ? '' : `<caption>${escaped(title)}</caption>`;
  return `<table>${caption}<thead>${groups}${header}</thead>
<tbody>
${body.join('\n')}
</tbody></table>`;
}

/** A long word may be broken where it has room only in part, such as on a phone. */
function nameText(name: string): string {
  return name.replaceAll(/[^ ]+/g, (word) => (word.length > 20 ? breakable(word) : escaped(word)));
}

function groupCell({ title, span }: { readonly title: string; readonly span: number }): string {
  return title === ''
    ? `<td colspan="${span}"></td>`
    : `<th scope="colgroup" colspan="${span}" class="group">${escaped(title)}</th>`;
}

function valueAttribute(cell: Cell): string {
  if (typeof cell === 'string') return '';
  const { value } = measured(cell);
  return value === null ? '' : ` data-value="${value}"`;
}
