// Tables of results. `table.ts` says what is in one; beside it is a file for each form that it takes, `files.ts` for all
// that are saved, and `cellText.ts` for how values are written in any of them.

export { csvTable } from './csv.js';
export { tableEndings, tableFiles, tableTexts } from './files.js';
export { htmlTable } from './html.js';
export { latexTable } from './latex.js';
export { markdownTable } from './markdown.js';
export type { Cell, Column, ColumnKind, Emphasis, Measured, ReportTable, Table } from './table.js';
export { alignedColumns, textTable } from './text.js';
