// What an experiment leaves in its folder beside the runs.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../runFolder/wholeFile.js';
import { type NamedTable, tableFiles } from '../tables/index.js';

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
  for (const [file, text] of tables.flatMap(tableFiles)) writeWhole(join(folder, file), text);
  writeWhole(join(out, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
