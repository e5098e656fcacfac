// Runs other programs; also defines the error that setup shows without a stack trace.

import { spawnSync } from 'node:child_process';

/** A problem that the user can fix; the message says how. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  /** `no-libtorch`: libtorch was not found, and setup cannot install it. */
  readonly code: 'no-libtorch' | undefined;

  constructor(message: string, code?: 'no-libtorch') {
    super(message);
    this.code = code;
  }
}

/** Receives a line that says what setup is doing. */
export type Log = (line: string) => void;

/** Runs a program, logs it, and shows its output live on standard error; standard output is for results. */
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

/** Returns the output of a program, or undefined if it is missing or fails. */
export function output(program: string, parameters: readonly string[]): string | undefined {
  const result = spawnSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Returns the path of a program, as a shell would find it. */
export function programPath(name: string): string | undefined {
  return output('sh', ['-c', 'command -v "$0"', name]);
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
