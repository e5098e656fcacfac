// Runs the programs in programs/ in separate processes, on the built package, since a fault would crash the tests too.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** Builds the package and the programs if they are out of date. */
export function buildPrograms(): void {
  const built = spawnSync(process.execPath, [tsc, '-b', `${here}programs`], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the programs do not build:\n${built.stdout}${built.stderr}`);
}

export interface ProgramOptions {
  readonly values?: readonly string[];
  readonly nodeOptions?: readonly string[];
  /** Added to this process's environment; undefined removes a variable. */
  readonly environment?: NodeJS.ProcessEnv;
}

export function runProgram(name: string, options: ProgramOptions = {}): Ending {
  const { values = [], nodeOptions = [], environment = {} } = options;
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...nodeOptions, `${here}programs/dist/${name}.js`, ...values],
    { encoding: 'utf8', maxBuffer: 2 ** 26, env: { ...process.env, ...environment } },
  );
  return { code: status, signal, output: stdout, errors: stderr };
}
