// Runs that are killed repeatedly and must end with the weights of an undisturbed one, bit for bit.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `different` are the runs that ended with other weights.
 *
 * @typedef {{ kills: number, finished: number, different: string[] }} Killed
 */

/**
 * Runs once undisturbed, and then with kills until there were `kills` of them. `undisturbed` and `disturbed`
 * complete a run in the given folder. `disturbed` counts its kills in the result, and receives the duration
 * of an undisturbed run in milliseconds.
 *
 * @template {object} Counts
 * @param {number} kills
 * @param {(line: string) => void} say
 * @param {object} work
 * @param {Counts} work.counts what else is counted
 * @param {(run: string) => Promise<void>} work.undisturbed
 * @param {(run: string, duration: number, result: Killed & Counts) => Promise<void>} work.disturbed
 * @returns {Promise<Killed & Counts>}
 */
export async function killAgainAndAgain(kills, say, { counts, undisturbed, disturbed }) {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-killed-'));
  try {
    const reference = join(folder, 'reference');
    const started = performance.now();
    await undisturbed(reference);
    const duration = performance.now() - started;
    const expected = weightsOf(reference);
    say(`undisturbed: ${(duration / 1000).toFixed(1)} s`);
    const result = { kills: 0, finished: 0, different: /** @type {string[]} */ ([]), ...counts };
    while (result.kills < kills) {
      const run = join(folder, `run-${result.finished}`);
      await disturbed(run, duration, result);
      result.finished++;
      if (weightsOf(run) !== expected) result.different.push(run);
      rmSync(run, { recursive: true });
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Prints the result of a program, and fails if a run ended with other weights.
 *
 * @param {Killed} result
 */
export function tellResult(result) {
  console.log(JSON.stringify(result));
  if (result.different.length > 0) process.exitCode = 1;
}

/**
 * A hash of the last checkpoint, the model, and the test scores.
 *
 * @param {string} run
 */
export function weightsOf(run) {
  const last = readdirSync(join(run, 'checkpoints'))
    .filter((name) => name.startsWith('epoch-'))
    .sort()
    .at(-1);
  const hash = createHash('sha256').update(String(last));
  for (const file of [join('checkpoints', String(last)), 'model.safetensors', join('scores', 'test.csv')]) {
    hash.update(readFileSync(join(run, file)));
  }
  return hash.digest('hex');
}
