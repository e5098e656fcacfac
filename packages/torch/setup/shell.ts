// Running other programs, and the one error that setup shows without a stack trace.

import { spawnSync } from 'node:child_process';

/** Something that the user can fix; the message says how. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  /** `no-libtorch`: there is none, and setup cannot install one. */
  readonly code: 'no-libtorch' | undefined;

  constructor(message: string, code?: 'no-libtorch') {
    super(message);
    this.code = code;
  }
}

/** Takes a line that says what setup does. */
export type Log = (line: string) => void;

/** Runs a program, says so, and shows its output as it comes; on standard error, since results go to standard output. */
export function run(program: string, parameters: readonly string[], log: Log, environment = {}): void {
  log(`${program} ${parameters.join(' ')}`);
  const result = spawnSync(program, parameters, {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...environment },
  });
  if (result.error) throw new SetupError(`cannot run ${program}: ${result.error.message}`);
  if (result.status !== 0)
    throw new SetupError(`${program} failed (exit code ${result.status ?? result.signal})`);
}

/** The output of a program, or undefined where it is missing or fails. */
export function output(program: string, parameters: readonly string[]): string | undefined {
  const result = spawnSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The path of a program that a shell would run. */
export function programPath(name: string): string | undefined {
  return output('sh', ['-c', 'command -v "$0"', name]);
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
