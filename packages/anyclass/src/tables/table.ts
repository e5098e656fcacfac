// The content of a results table, independent of its format. The renderers next to this file write it as
// text, CSV, Markdown, LaTeX, and HTML.

/**
 * What a column's values are, which decides how they are written: `text` unchanged; `count` as 12,345;
 * `number` as 0.1230; `percent` as a fraction times 100; `difference` as percent with a sign.
 */
export type ColumnKind = 'text' | 'count' | 'number' | 'percent' | 'difference';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  /** Adjacent columns of the same group share a heading above their own. */
  readonly group?: string;
  /** Decimal places; default 2 for percent and difference, 4 for number. */
  readonly digits?: number;
  /** Default: left for text, right for values. */
  readonly align?: Alignment;
}

export type Alignment = 'left' | 'right' | 'center';

/** A measured value and, if known, its uncertainty. */
export interface Measured {
  /** Null if undefined or not measured. */
  readonly value: number | null;
  /** Written after the value as ±, in the same unit. */
  readonly spread?: number;
  /** Written in parentheses after the value: a confidence interval or a range, as the table's note says. */
  readonly interval?: { readonly low: number; readonly high: number };
  /** `strong` highlights a cell (a difference that holds); `faint` dims it. */
  readonly emphasis?: Emphasis;
}

export type Emphasis = 'strong' | 'faint';

export type Cell = string | number | null | Measured;

export interface Table {
  readonly title: string;
  /** What a reader must know: the unit, the number of seeds, what the parentheses mean. */
  readonly note?: string;
  readonly columns: readonly Column[];
  /** Each as long as `columns`. */
  readonly rows: readonly (readonly Cell[])[];
}

/** A table and the base name of its files. */
export interface ReportTable {
  readonly name: string;
  readonly table: Table;
}

/** A numeric cell in its full form. */
export function measured(cell: Exclude<Cell, string>): Measured {
  return typeof cell === 'number' || cell === null ? { value: cell } : cell;
}

export function alignment({ align, kind }: Column): Alignment {
  return align ?? (kind === 'text' ? 'left' : 'right');
}

export function hasGroups({ columns }: Table): boolean {
  return columns.some(({ group }) => group !== undefined);
}

/**
 * The group headings from left to right, each with the number of columns below it; '' for
 * columns without a group.
 */
export function groupSpans({ columns }: Table): { readonly title: string; readonly span: number }[] {
  const spans: { title: string; span: number }[] = [];
  for (const { group = '' } of columns) {
    const last = spans.at(-1);
    if (last && last.title === group) last.span++;
    else spans.push({ title: group, span: 1 });
  }
  return spans;
}

/** A column's heading in formats with a single header line. */
export function fullTitle({ group, title }: Column): string {
  return group === undefined ? title : `${group} ${title}`.trim();
}

/** Returns the table, or throws an error that names a row with too few or too many cells. */
export function checked(table: Table): Table {
  const { title, columns, rows } = table;
  rows.forEach((row, i) => {
    if (row.length !== columns.length) {
      throw new RangeError(
        `table '${title}', row ${i + 1}: ${row.length} cells, but the table has ${columns.length} columns`,
      );
    }
  });
  return table;
}
