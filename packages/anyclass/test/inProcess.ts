import { runDisplay } from '../src/commandLine/display/runDisplay.js';
import { runProgram } from '../src/commandLine/program.js';
import { commandEntries } from '../src/commands/entries.js';

/** The result of a process, as `spawnSync` returns it. */
export interface Ending {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command in a folder, within this process. For tests of a command's output in which process behavior
 * (signals, pipes, limits) does not matter. Rows of `predict` go to the real standard output.
 *
 * @param isPiped whether the command shall think that its results go to another program
 *
 * @example
 * await runInProcess(folder, ['train', 'nowhere.json']) // { status: 1, … }
 */
export async function runInProcess(
  folder: string,
  words: readonly string[],
  { isPiped = false }: { readonly isPiped?: boolean } = {},
): Promise<Ending> {
  let [stdout, stderr] = ['', ''];
  const note = (text: string) => {
    stderr += `${text}\n`;
  };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const status = await runProgram(commandEntries, words, {
      print(text) {
        stdout += `${text}\n`;
      },
      note,
      isPiped,
      onEvent: runDisplay({
        write(text: string) {
          stderr += text;
          return true;
        },
      }),
    });
    return { status, stdout, stderr };
  } finally {
    process.chdir(before);
  }
}
