import { type Cell, type Column, checked, fullTitle, measured, type Table } from './table.js';

/**
 * A table as CSV for other programs: plain numbers in full precision, percentages as fractions, an empty
 * field for an undefined value. Text that a spreadsheet would take for a formula is prefixed with an
 * apostrophe, which spreadsheets do not show. A column with spreads or intervals is followed by extra
 * columns: `F1 spread`, `F1 low`, `F1 high`.
 *
 * @example
 * csvTable({
 *   title: 'Test',
 *   columns: [{ title: 'loss', kind: 'text' }, { title: 'F1', kind: 'percent' }],
 *   rows: [['bce', { value: 0.6313, spread: 0.0021 }]],
 * }) // 'loss,F1,F1 spread\nbce,0.6313,0.0021\n'
 */
export function csvTable(table: Table): string {
  const { columns, rows } = checked(table);
  const fields = columns.flatMap((column, at) =>
    parts(
      column,
      rows.map((row) => row[at]!),
    ).map((part) => ({ ...part, at })),
  );
  const lines = [
    fields.map(({ title }) => noFormula(title)),
    ...rows.map((row) => fields.map(({ read, at }) => read(row[at]!))),
  ];
  return lines.map((line) => `${line.map(quoted).join(',')}\n`).join('');
}

interface Part {
  readonly title: string;
  readonly read: (cell: Cell) => string;
}

function parts(column: Column, cells: readonly Cell[]): Part[] {
  const title = fullTitle(column);
  const all = cells.flatMap((cell) => (typeof cell === 'string' ? [] : [measured(cell)]));
  const found: Part[] = [
    { title, read: (cell) => (typeof cell === 'string' ? noFormula(cell) : number(measured(cell).value)) },
  ];
  const add = (name: string, of: (cell: ReturnType<typeof measured>) => number | undefined) => {
    if (!all.some((cell) => of(cell) !== undefined)) return;
    found.push({
      title: `${title} ${name}`,
      read: (cell) => (typeof cell === 'string' ? '' : number(of(measured(cell)))),
    });
  };
  add('spread', ({ spread }) => spread);
  add('low', ({ interval }) => interval?.low);
  add('high', ({ interval }) => interval?.high);
  return found;
}

/** Class names and filenames come from data that anybody may have made. */
function noFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? '' : String(value);
}

// Empty fields are quoted too: a line with a single empty field would be read as no line at all.
function quoted(field: string): string {
  return field === '' || /[",\r\n\uFEFF]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
