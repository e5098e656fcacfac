// Runs several processes of one program that find each other, on the built package.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ending } from './child.js';
import { freePort } from './freePort.mjs';

const programs = fileURLToPath(new URL('./programs/dist', import.meta.url));

export interface RanksOptions {
  readonly values?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** How many processes are started; the others are missing. Default: all. */
  readonly started?: number;
}

/**
 * Starts a program once per rank, waits for all, and returns how they ended, in rank order. A rank's standard input
 * closes when rank 0 exits.
 */
export async function runRanks(
  name: string,
  worldSize: number,
  options: RanksOptions = {},
): Promise<Ending[]> {
  const { values = [], environment = {}, started = worldSize } = options;
  const port = await freePort();
  const children = Array.from({ length: started }, (_, rank) =>
    spawn(process.execPath, [`${programs}/${name}.js`, ...values], {
      env: {
        ...process.env,
        RANK: String(rank),
        WORLD_SIZE: String(worldSize),
        MASTER_PORT: String(port),
        OMP_NUM_THREADS: '1',
        ...environment,
      },
    }),
  );
  children[0]?.once('close', () => {
    for (const { stdin } of children) stdin.end();
  });
  return Promise.all(
    children.map(async (child) => {
      const texts = { stdout: '', stderr: '' };
      child.stdout.on('data', (data) => {
        texts.stdout += data;
      });
      child.stderr.on('data', (data) => {
        texts.stderr += data;
      });
      const [code, signal] = await once(child, 'close');
      return { code, signal, output: texts.stdout, errors: texts.stderr };
    }),
  );
}
