// Runs other programs, and has the one error that setup shows without a stack trace.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

export class SetupError extends Error {}

/**
 * Runs a program, after printing its command line, and shows its output as it comes.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} [environment] added to the process's own
 */
export function run(program, parameters, environment = {}) {
  console.log(`setup: ${program} ${parameters.join(' ')}`);
  const result = spawnSync(program, parameters, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  });
  if (result.error) throw new SetupError(`cannot run ${program}: ${result.error.message}`);
  if (result.status !== 0)
    throw new SetupError(`${program} failed (exit code ${result.status ?? result.signal})`);
}

/**
 * Returns the output of a program, or undefined if it is missing or fails.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @returns {string | undefined}
 */
export function output(program, parameters) {
  const result = spawnSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/**
 * Returns one hash of the contents of files and some texts, which tells whether what was made from them is up to date.
 *
 * @param {string[]} files
 * @param {string[]} texts
 */
export function fingerprint(files, texts = []) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file)).update('\0');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}
