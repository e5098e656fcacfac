// Starts several processes of one program that train together, as any launcher does (needs a build).

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../torch/test/freePort.mjs';
import { heard } from './program.mjs';

/** @typedef {readonly string[] | ((rank: number) => readonly string[])} Words the program and its options */

/**
 * Starts a program once for each rank.
 *
 * @param {Words} words
 * @param {number} worldSize
 * @param {NodeJS.ProcessEnv | ((rank: number) => NodeJS.ProcessEnv)} [environment] a function replaces RANK
 *   and WORLD_SIZE
 */
async function startRanks(words, worldSize, environment = {}) {
  const port = await freePort();
  return Array.from({ length: worldSize }, (_, rank) =>
    started(typeof words === 'function' ? words(rank) : words, {
      MASTER_PORT: String(port),
      ...(typeof environment === 'function'
        ? environment(rank)
        : { RANK: String(rank), WORLD_SIZE: String(worldSize), ...environment }),
    }),
  );
}

/**
 * Starts a program and waits for all its ranks, or for the process if there is only one.
 *
 * @param {Words} words
 * @param {number} worldSize
 * @param {NodeJS.ProcessEnv | ((rank: number) => NodeJS.ProcessEnv)} [environment]
 */
export async function runRanks(words, worldSize, environment = {}) {
  const ranks =
    worldSize === 1 && typeof words !== 'function'
      ? [started(words, typeof environment === 'function' ? {} : environment)]
      : await startRanks(words, worldSize, environment);
  return Promise.all(ranks.map((rank) => rank.ended));
}

/**
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 */
function started(words, environment) {
  const env = { ...process.env, OMP_NUM_THREADS: '1', ...environment };
  return heard(spawn(process.execPath, [...words], { env }));
}

/**
 * The gradient of a batch as `worldSize` processes compute it.
 *
 * @param {string} file
 * @param {number} worldSize
 * @param {readonly string[]} words network, accumulation, type, device
 */
export async function rankGradients(file, worldSize, words) {
  const script = fileURLToPath(new URL('rankGradients.mjs', import.meta.url));
  for (const { code, errors } of await runRanks([script, file, ...words], worldSize)) {
    if (code !== 0) throw new Error(errors);
  }
  return { metrics: floatsOf(file), gradient: floatsOf(`${file}.gradient`) };
}

/** @param {string} file */
function floatsOf(file) {
  return new Float32Array(new Uint8Array(readFileSync(file)).buffer);
}

/**
 * The ranks that a launcher has started, from Linux's /proc. A process that does not run its own program yet is not one of them: it shares
 * the launcher's channels.
 *
 * @param {number} launcher
 */
export function ranksOf(launcher) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === launcher && isRank(pid));
}

/** @param {number} pid */
function isRank(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .some((variable) => variable.startsWith('RANK='));
  } catch {
    return false;
  }
}

/**
 * The parent of a process; undefined if it has exited.
 *
 * @param {number} pid
 */
export function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
