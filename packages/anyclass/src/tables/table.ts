// A table of results before it has a form: what is in it, not how it looks. Renderers beside this file write it as
// text, CSV, Markdown, LaTeX and HTML.

/**
 * What a column's values are, which decides how they are written:
 * text as it is; `count` 12,345; `number` 0.123; `percent` a share times 100; `difference` the same with its sign.
 */
export type ColumnKind = 'text' | 'count' | 'number' | 'percent' | 'difference';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  /** Neighboring columns of one group share a heading above theirs. */
  readonly group?: string;
  /** After the point; default 2 for percent and difference, 4 for number. */
  readonly digits?: number;
  /** Default: text to the left, values to the right. */
  readonly align?: Alignment;
}

export type Alignment = 'left' | 'right' | 'center';

/** A measured value with what is known of its uncertainty. */
export interface Measured {
  /** Null: not defined, or not measured. */
  readonly value: number | null;
  /** Written as ± behind the value, in its unit. */
  readonly spread?: number;
  /** Written in brackets behind the value: a confidence interval or a range, as the table's note says. */
  readonly interval?: { readonly low: number; readonly high: number };
  /** `strong` stands out (the best of its column, a difference that holds), `faint` steps back. */
  readonly emphasis?: Emphasis;
}

export type Emphasis = 'strong' | 'faint';

export type Cell = string | number | null | Measured;

export interface Table {
  readonly title: string;
  /** What a reader must know: the unit, the number of seeds, what is in brackets. */
  readonly note?: string;
  readonly columns: readonly Column[];
  /** Each as long as `columns`. */
  readonly rows: readonly (readonly Cell[])[];
}

/** A table, and what its files are called. */
export interface ReportTable {
  readonly name: string;
  readonly table: Table;
}

/** A cell of a value in its full form. */
export function measured(cell: Exclude<Cell, string>): Measured {
  return typeof cell === 'number' || cell === null ? { value: cell } : cell;
}

export function alignment({ align, kind }: Column): Alignment {
  return align ?? (kind === 'text' ? 'left' : 'right');
}

export function hasGroups({ columns }: Table): boolean {
  return columns.some(({ group }) => group !== undefined);
}

/** The group headings from left to right, each with the number of columns below it; '' where there is none. */
export function groupSpans({ columns }: Table): { readonly title: string; readonly span: number }[] {
  const spans: { title: string; span: number }[] = [];
  for (const { group = '' } of columns) {
    const last = spans.at(-1);
    if (last && last.title === group) last.span++;
    else spans.push({ title: group, span: 1 });
  }
  return spans;
}

/** A column's heading where there is only one line for it. */
export function fullTitle({ group, title }: Column): string {
  return group === undefined ? title : `${group} ${title}`.trim();
}

/** The table, or an error that names the row with too few or too many cells. */
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
