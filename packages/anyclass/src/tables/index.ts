// Tables of results. `table.ts` defines the content. Each output format has its own file; `files.ts` combines
// the formats that are saved, and `cellText.ts` formats values for all of them.

export { csvTable } from './csv.js';
export { tableEndings, tableFiles, tableTexts } from './files.js';
export { htmlTable } from './html.js';
export { latexTable } from './latex.js';
export { markdownTable } from './markdown.js';
export type { Cell, Column, ColumnKind, Emphasis, Measured, ReportTable, Table } from './table.js';
export { alignedColumns, textTable } from './text.js';
