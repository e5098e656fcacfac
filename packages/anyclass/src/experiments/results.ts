// What comes of an experiment's runs: their comparison, files of it, and what went wrong.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../commandLine/terminal.js';
import { writeWhole } from '../files/wholeFile.js';
import { type NamedTable, tableFiles } from '../tables/index.js';
import { type Comparison, compareRuns } from './comparison.js';
import { readRuns } from './readRuns.js';
import type { RunRow } from './runAll.js';

/** The comparison of an experiment's runs, with a bar for the bootstrap. */
export async function compareFolders(
  folders: readonly string[],
  replicates: number,
  terminal: Pick<Terminal, 'progress'>,
): Promise<Comparison> {
  const runs = readRuns(folders);
  const datasets = new Set(runs.map(({ dataset }) => dataset)).size;
  let bar: ReturnType<Terminal['progress']> | undefined;
  const comparison = await compareRuns(runs, {
    replicates,
    onDraw: () => {
      bar ??= terminal.progress('comparing', datasets * replicates, 'draws');
      bar.advance(1);
    },
  });
  bar?.finish();
  return comparison;
}

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

/** The last lines of every run that failed, and how many there are. */
export function failureText(failed: readonly RunRow[]): string {
  return [
    ...failed.map(
      ({ planned, lastLines, state }) =>
        `${planned.name} ${state === 'failed' ? 'failed' : `was ${state}`}:\n${lastLines.map((line) => `  ${line}`).join('\n')}`,
    ),
    `${failed.length} ${failed.length === 1 ? 'run is' : 'runs are'} not finished; the same command goes on with ${failed.length === 1 ? 'it' : 'them'}`,
  ].join('\n');
}
