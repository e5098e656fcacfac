import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SetupError } from './shell.js';

/** Runs a compiler; its complaints become the error's message. */
export async function compile(compiler: string, parameters: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(compiler, parameters, { maxBuffer: 64 << 20 });
  } catch (error) {
    const details = error instanceof Error && 'stderr' in error ? error.stderr : error;
    throw new SetupError(`${compiler} ${parameters.join(' ')} failed:\n${details}`);
  }
}
