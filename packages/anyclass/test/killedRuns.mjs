// A run that is killed again and again must end with the weights of one that was left alone, bit for bit.
//
//   node packages/anyclass/test/killedRuns.mjs 50        (needs a build: npm run setup)

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frequentlySaved } from './frequentlySaved.mjs';

const program = fileURLToPath(new URL('../bin/anyclass.js', import.meta.url));
const fields = [
  ...frequentlySaved,
  'data.digits.scenes={"train":64,"validation":16,"test":16}',
  'evaluation.replicates=10',
];

/**
 * Kills runs at random moments, every second time in the middle of writing a file of weights, and resumes them.
 *
 * @param {number} kills
 * @param {(line: string) => void} say
 * @returns {Promise<{ kills: number, whileWriting: number, finished: number, different: string[] }>}
 */
export async function killRuns(kills, say) {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-killed-'));
  try {
    const reference = join(folder, 'reference');
    const started = performance.now();
    await untilExit(begin(reference));
    const duration = performance.now() - started;
    const expected = weightsOf(reference);
    say(`undisturbed: ${(duration / 1000).toFixed(1)} s`);
    const result = { kills: 0, whileWriting: 0, finished: 0, different: /** @type {string[]} */ ([]) };
    while (result.kills < kills) {
      const run = join(folder, `run-${result.finished}`);
      let finished = false;
      while (!finished) {
        const child = existsSync(join(run, 'config.json')) ? resume(run) : begin(run);
        if (result.kills >= kills) {
          await untilExit(child);
          finished = true;
        } else {
          const after = Math.random() * duration;
          const written = result.kills % 2 === 1;
          finished = await killed(child, after, written ? join(run, 'checkpoints') : undefined, result);
          if (!finished) {
            result.kills++;
            say(`kill ${result.kills} after ${(after / 1000).toFixed(1)} s`);
          }
        }
      }
      result.finished++;
      if (weightsOf(run) !== expected) result.different.push(run);
      rmSync(run, { recursive: true });
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} run */
function begin(run) {
  rmSync(run, { recursive: true, force: true }); // a kill may have come before the run had begun
  return start(['train', 'quick', '--run', run, ...fields.flatMap((field) => ['--set', field])]);
}

/** @param {string} run */
function resume(run) {
  return start(['train', '--resume', run]);
}

/** @param {string[]} words */
function start(words) {
  return spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** @param {ReturnType<typeof start>} child */
async function untilExit(child) {
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`a run ended with exit code ${code}:\n${said}`);
}

/**
 * Kills a child after some time, or, from then on, as soon as a file is being written; true where it ended before.
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

/**
 * A hash of the last checkpoint and of the model.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await killRuns(Number(process.argv[2] ?? 50), (line) => console.log(line));
  console.log(JSON.stringify(result));
  if (result.different.length > 0) process.exitCode = 1;
}
