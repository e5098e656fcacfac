import { cellText, emphasisOf } from './cellText.js';
import { alignment, checked, fullTitle, type Table } from './table.js';

/**
 * A table in GitHub-flavored Markdown.
 *
 * @example
 * markdownTable({
 *   title: 'Test',
 *   columns: [{ title: 'loss', kind: 'text' }, { title: 'F1', kind: 'percent' }],
 *   rows: [['any-bce', { value: 0.6423, emphasis: 'strong' }]],
 * })
 * // **Test**
 * //
 * // | loss | F1 |
 * // | :--- | ---: |
 * // | any-bce | **64.23** |
 */
export function markdownTable(table: Table): string {
  const { title, note, columns, rows } = checked(table);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rules = { left: ':---', right: '---:', center: ':---:' } as const;
  const lines = [
    line(columns.map((column) => escapedMarkdown(fullTitle(column)))),
    line(columns.map((column) => rules[alignment(column)])),
    ...rows.map((row) =>
      line(
        row.map((cell, at) => {
          const text = escapedMarkdown(cellText(cell, columns[at]!));
          return emphasisOf(cell) === 'strong' ? `**${text}**` : text;
        }),
      ),
    ),
  ];
  return `${[
    ...(title === '' ? [] : [`**${escapedMarkdown(title)}**`]),
    lines.join('\n'),
    ...(note === undefined ? [] : [escapedMarkdown(note)]),
  ].join('\n\n')}\n`;
}

/** Escapes text for Markdown and puts it on one line. */
export function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\|*_`<>[\]~#&]/g, '\\$&').replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
