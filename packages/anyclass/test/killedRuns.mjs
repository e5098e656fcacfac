// A repeatedly killed run must end with the weights of an undisturbed one, bit for bit.
//
//   node packages/anyclass/test/killedRuns.mjs 50        (needs a build: npm run setup)

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frequentlySaved } from './frequentlySaved.mjs';
import { killAgainAndAgain, tellResult } from './killing.mjs';
import { heard, program } from './program.mjs';

const fields = [
  ...frequentlySaved,
  'epochs=2',
  'data.digits.scenes={"train":64,"validation":16,"test":16}',
  'evaluation.replicates=10',
];

/**
 * Kills runs at random moments, every second time while a file of weights is being written, and resumes them.
 *
 * @param {number} kills
 * @param {(line: string) => void} say
 */
export function killRuns(kills, say) {
  return killAgainAndAgain(kills, say, {
    counts: { whileWriting: 0 },
    undisturbed: (run) => untilExit(begin(run)),
    async disturbed(run, duration, result) {
      for (;;) {
        const child = existsSync(join(run, 'config.json')) ? resume(run) : begin(run);
        if (result.kills >= kills) return untilExit(child);
        const after = Math.random() * duration;
        const written = result.kills % 2 === 1 ? join(run, 'checkpoints') : undefined;
        if (await killed(child, after, written, result)) return;
        result.kills++;
        say(`kill ${result.kills} after ${(after / 1000).toFixed(1)} s`);
      }
    },
  });
}

/** @param {string} run */
function begin(run) {
  rmSync(run, { recursive: true, force: true }); // a kill may have come before the run had started
  return start(['train', 'quick', '--run', run, ...fields.flatMap((field) => ['--set', field])]);
}

/** @param {string} run */
function resume(run) {
  return start(['train', '--resume', run]);
}

/** @param {string[]} words */
function start(words) {
  return spawn(process.execPath, [program, ...words]);
}

/** @param {ReturnType<typeof start>} child */
async function untilExit(child) {
  const { code, errors } = await heard(child).ended;
  if (code !== 0) throw new Error(`a run exited with code ${code}:\n${errors}`);
}

/**
 * Kills a child after some time or, if `checkpoints` is given, from then on as soon as a file is being
 * written there. Returns true if the child finished before.
 *
 * @param {ReturnType<typeof start>} child
 * @param {number} after
 * @param {string | undefined} checkpoints
 * @param {{ whileWriting: number }} result
 */
async function killed(child, after, checkpoints, result) {
  let code = /** @type {number | null | undefined} */ (undefined);
  const ended = untilExit(child).then(
    () => {
      code = 0;
    },
    (error) => {
      if (child.signalCode !== 'SIGKILL') throw error;
      code = null;
    },
  );
  const due = performance.now() + after;
  const isWriting = () =>
    checkpoints !== undefined &&
    existsSync(checkpoints) &&
    readdirSync(checkpoints).some((name) => name.startsWith('.partial-'));
  const patience = checkpoints === undefined ? 0 : 5000;
  while (
    code === undefined &&
    (performance.now() < due || (!isWriting() && performance.now() < due + patience))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (code === undefined) child.kill('SIGKILL');
  await ended;
  if (code !== 0 && checkpoints !== undefined && isWriting()) result.whileWriting++;
  return code === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  tellResult(await killRuns(Number(process.argv[2] ?? 50), (line) => console.log(line)));
}
