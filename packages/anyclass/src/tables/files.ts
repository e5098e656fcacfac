// The files that a table is saved as.

import { csvTable } from './csv.js';
import { latexTable } from './latex.js';
import { markdownTable } from './markdown.js';
import type { ReportTable, Table } from './table.js';

/** Extensions of the files that a table is saved as. */
export const tableEndings = ['csv', 'md', 'tex'] as const;

/** The contents of a table's files, by file extension. */
export function tableTexts(table: Table): Readonly<Record<(typeof tableEndings)[number], string>> {
  return { csv: csvTable(table), md: markdownTable(table), tex: latexTable(table) };
}

/**
 * The names and contents of a table's files.
 *
 * @example
 * tableFiles({ name: 'results', table }).map(([file]) => file) // ['results.csv', 'results.md', 'results.tex']
 */
export function tableFiles({ name, table }: ReportTable): [file: string, text: string][] {
  return Object.entries(tableTexts(table)).map(([ending, text]) => [`${name}.${ending}`, text]);
}
