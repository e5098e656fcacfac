import { cellText, emphasisOf } from './cellText.js';
import { alignment, checked, groupSpans, hasGroups, type Table } from './table.js';

/**
 * A table for a paper; needs the LaTeX package booktabs.
 *
 * @example
 * latexTable({
 *   title: 'Test',
 *   columns: [{ title: 'loss', kind: 'text' }, { title: 'F1', kind: 'percent' }],
 *   rows: [['any-bce', { value: 0.6423, spread: 0.002, emphasis: 'strong' }]],
 * })
 * // …\begin{tabular}{@{}lr@{}} \toprule loss & F1 \\ \midrule any-bce & \textbf{64.23 $\pm$ 0.20} \\ \bottomrule …
 */
export function latexTable(table: Table): string {
  const { title, note, columns, rows } = checked(table);
  const line = (cells: readonly string[]) => `    ${cells.join(' & ')} \\\\`;
  const body = rows.map((row) =>
    line(
      row.map((cell, at) => {
        const text = escapedLatex(cellText(cell, columns[at]!));
        return emphasisOf(cell) === 'strong' ? `\\textbf{${text}}` : text;
      }),
    ),
  );
  const caption = [title, note].filter((text) => text !== undefined && text !== '').join('. ');
  return `${[
    '% \\usepackage{booktabs}',
    '\\begin{table}',
    '  \\centering',
    ...(caption === '' ? [] : [`  \\caption{${escapedLatex(caption)}}`]),
    `  \\begin{tabular}{@{}${columns.map((column) => alignment(column)[0]).join('')}@{}}`,
    '    \\toprule',
    ...(hasGroups(table) ? groupHeading(table) : []),
    line(columns.map((column) => escapedLatex(column.title))),
    '    \\midrule',
    ...body,
    '    \\bottomrule',
    '  \\end{tabular}',
    '\\end{table}',
  ].join('\n')}\n`;
}

/**
 * Escapes text for LaTeX and puts it on one line.
 *
 * @example
 * escapedLatex('50% λ_1') // '50\\% $\\lambda$\\_1'
 */
export function escapedLatex(text: string): string {
  return text
    .replaceAll(/\s*[\r\n]+\s*/g, ' ')
    .replaceAll(special, (character) => latexOf.get(character) ?? `\\${character}`);
}

// Characters that must be escaped, and those that 8-bit fonts lack.
const latexOf = new Map([
  ['\\', '\\textbackslash{}'],
  ['^', '\\textasciicircum{}'],
  ['~', '\\textasciitilde{}'],
  ['<', '$<$'],
  ['>', '$>$'],
  ['|', '$|$'],
  ['±', '$\\pm$'],
  ['−', '$-$'],
  ['λ', '$\\lambda$'],
  ['α', '$\\alpha$'],
  ['β', '$\\beta$'],
  ['γ', '$\\gamma$'],
  ['Δ', '$\\Delta$'],
  ['≥', '$\\geq$'],
]);
const special = /[\\{}$&#%_^~<>|±−λαβγΔ≥]/g;

function groupHeading(table: Table): string[] {
  const cells: string[] = [];
  const rules: string[] = [];
  let first = 1;
  for (const { title, span } of groupSpans(table)) {
    cells.push(title === '' && span === 1 ? '' : `\\multicolumn{${span}}{c}{${escapedLatex(title)}}`);
    if (title !== '') rules.push(`\\cmidrule(lr){${first}-${first + span - 1}}`);
    first += span;
  }
  return [`    ${cells.join(' & ')} \\\\`, `    ${rules.join(' ')}`];
}
