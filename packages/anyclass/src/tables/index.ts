export { csvTable } from './csv.js';
export { htmlTable } from './html.js';
export { latexTable } from './latex.js';
export { markdownTable } from './markdown.js';
export type { Cell, Column, ColumnKind, Emphasis, Measured, NamedTable, Table } from './table.js';
export { alignedColumns, textTable } from './text.js';
