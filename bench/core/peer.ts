import { spawnSync } from 'node:child_process';
import path from 'node:path';

// The peers run on the system's Python with torch and scikit-learn, unless another one is named.
const python = process.env['PYTHON'] ?? '/usr/bin/python3';
const scripts = path.resolve(import.meta.dirname, '../../core');

/** Runs a Python peer from this folder with one thread and parses the JSON that it prints. */
export function runPeer(script: string, ...parameters: readonly (string | number)[]): PeerResult {
  const { status, stdout, stderr } = spawnSync(
    python,
    [path.join(scripts, script), ...parameters.map(String)],
    {
      encoding: 'utf8',
      env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
      maxBuffer: 2 ** 26,
    },
  );
  if (status !== 0) throw new Error(`${python} ${script} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** The seconds of each run, and the result, which should equal ours. */
export interface PeerResult {
  readonly seconds: number[];
  readonly value: number;
}
