// Shared by `compare`, `sweep` and `recommend`: the table of runs, Ctrl-C, and the trade-off chart.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { chartFile } from '@anyclass/kit';
import { type ExperimentTable, experimentTable } from '../commandLine/display/experimentTable.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UserError } from '../errors/userError.js';
import type { ExperimentHooks } from '../experiments/compare.js';
import type { Comparison } from '../experiments/comparisonResult.js';
import { fileName } from '../experiments/comparisonTables.js';
import { failureText, type UnfinishedRun } from '../experiments/results.js';
import { writeWhole } from '../files/wholeFile.js';
import { tradeOffChart } from '../reports/tradeOffChart.js';

/**
 * Runs an experiment and shows its progress.
 *
 * @throws UserError with exit code 130 or 143 after Ctrl-C or SIGTERM, once all runs have saved a checkpoint
 */
export async function shown<Result extends { readonly unfinished: readonly UnfinishedRun[] }>(
  terminal: Terminal,
  experiment: (hooks: ExperimentHooks) => Promise<Result>,
): Promise<Result> {
  using interruption = interruptible(
    terminal,
    'Saving the checkpoints of all runs; press Ctrl-C again to quit immediately',
  );
  const { signal, kill } = interruption;
  let table: ExperimentTable | undefined;
  let isDrawn = false;
  const finishTable = () => {
    if (isDrawn) table?.finish();
    isDrawn = false;
  };
  signal.addEventListener('abort', () => table?.leave());
  const result = await experiment({
    signal,
    kill,
    onPlan(plan) {
      finishTable();
      table = experimentTable(plan, process.stderr);
    },
    onEvent(event) {
      if (event.type === 'child') {
        table?.onEvent(event);
        isDrawn = true;
      } else {
        finishTable();
        terminal.onEvent(event);
      }
    },
  });
  finishTable();
  if (!signal.aborted) return result;
  const failed = result.unfinished.filter(({ state }) => state === 'failed');
  throw new UserError(
    failed.length > 0
      ? failureText(failed)
      : 'Interrupted; all runs are saved. Run the same command again to resume them',
    { exitCode: interruption.exitCode() },
  );
}

/**
 * Writes `trade-off-DATASET.svg` for each dataset with a labeled test split and returns the paths. A sweep's
 * files start with `sweep-`, like those of its tables, because a comparison may use the same folder.
 */
export async function writeTradeOffs(
  out: string,
  comparison: Comparison,
  prefix: '' | 'sweep-' = '',
): Promise<string[]> {
  const datasets = [...new Set(comparison.groups.map(({ dataset }) => dataset))];
  return datasets.flatMap((dataset) => {
    const groups = comparison.groups.filter((group) => group.dataset === dataset);
    const chart = tradeOffChart(dataset, groups);
    const path = join(out, `${prefix}trade-off-${fileName(dataset)}.svg`);
    if (!chart) {
      // A file from an earlier call would not match these results.
      rmSync(path, { force: true });
      return [];
    }
    writeWhole(path, chartFile(chart.svg, 520));
    return [path];
  });
}
