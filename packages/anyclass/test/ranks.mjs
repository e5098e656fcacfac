// Several processes of one program that train together, as any launcher starts them (needs a build).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../bin/anyclass.js', import.meta.url));

/**
 * Starts a program once for each rank.
 *
 * @param {readonly string[]} words of the program and its options
 * @param {number} worldSize
 * @param {NodeJS.ProcessEnv} [environment]
 */
export async function startRanks(words, worldSize, environment = {}) {
  const port = await freePort();
  return Array.from({ length: worldSize }, (_, rank) =>
    started(words, {
      RANK: String(rank),
      WORLD_SIZE: String(worldSize),
      MASTER_PORT: String(port),
      ...environment,
    }),
  );
}

/**
 * Starts a program and waits for all of its ranks, or for the one process where there is but one.
 *
 * @param {readonly string[]} words
 * @param {number} worldSize
 * @param {NodeJS.ProcessEnv} [environment]
 */
export async function runRanks(words, worldSize, environment = {}) {
  const ranks =
    worldSize === 1 ? [started(words, environment)] : await startRanks(words, worldSize, environment);
  return Promise.all(ranks.map((rank) => rank.ended));
}

/**
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 */
function started(words, environment) {
  const child = spawn(process.execPath, [...words], {
    env: { ...process.env, OMP_NUM_THREADS: '1', ...environment },
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (data) => {
    texts.output += data;
  });
  child.stderr.on('data', (data) => {
    texts.errors += data;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  return { child, texts, ended };
}

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return address.port;
}
