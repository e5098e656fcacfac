// What an experiment leaves in its folder beside the runs.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../runFolder/wholeFile.js';
import { csvTable, latexTable, markdownTable } from '../tables/index.js';
import type { NamedTable } from './comparisonTables.js';

/**
 * Writes each table as CSV, Markdown and LaTeX below `tables`, and the result as JSON.
 *
 * @example
 * writeResultFiles('comparisons/coco', 'comparison', comparison, comparisonTables(comparison))
 */
export function writeResultFiles(
  out: string,
  name: string,
  result: unknown,
  tables: readonly NamedTable[],
): void {
  const folder = join(out, 'tables');
  mkdirSync(folder, { recursive: true });
  for (const { name: tableName, table } of tables) {
    writeWhole(join(folder, `${tableName}.csv`), csvTable(table));
    writeWhole(join(folder, `${tableName}.md`), markdownTable(table));
    writeWhole(join(folder, `${tableName}.tex`), latexTable(table));
  }
  writeWhole(join(out, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
