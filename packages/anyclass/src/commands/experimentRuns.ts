// The runs of `compare` and `sweep`, shown as a table, with Ctrl-C in between.

import { experimentTable } from '../commandLine/display/experimentTable.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UserError } from '../errors/userError.js';
import { type ExperimentRuns, type ExperimentSettings, runExperiment } from '../experiments/experiment.js';
import type { PlannedRun } from '../experiments/plan.js';
import { failureText } from '../experiments/results.js';

/**
 * Makes all runs of a plan.
 *
 * @throws UserError where none is finished; with exit code 130 or 143 after Ctrl-C or SIGTERM, when all runs have saved
 */
export async function makeRuns(
  plan: readonly PlannedRun[],
  settings: ExperimentSettings,
  terminal: Terminal,
): Promise<ExperimentRuns> {
  using interruption = interruptible(
    terminal,
    'Saving the checkpoints of all runs; press Ctrl-C again to quit immediately',
  );
  const { signal, kill } = interruption;
  const table = experimentTable(plan, process.stderr);
  signal.addEventListener('abort', () => table.leave());
  const runs = await runExperiment(plan, settings, {
    signal,
    kill,
    onEvent(event) {
      if (event.type === 'child') table.onEvent(event);
      else terminal.onEvent(event);
    },
  });
  table.finish();
  if (signal.aborted) {
    const failed = runs.unfinished.filter(({ row }) => row.state === 'failed');
    throw new UserError(
      failed.length > 0
        ? failureText(failed)
        : 'Interrupted; all runs are saved. Run the same command again to resume them',
      { exitCode: interruption.exitCode() },
    );
  }
  if (runs.folders.length === 0) throw new UserError(failureText(runs.unfinished));
  return runs;
}
