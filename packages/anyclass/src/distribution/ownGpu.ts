// Each process on a machine computes on its own GPU, which becomes the only one that it sees. With launchers
// that bind GPUs to tasks themselves, only one is visible, and there is nothing to choose.

import { spawnSync } from 'node:child_process';

/**
 * Makes only this process's GPU visible to CUDA; call it before the first use of CUDA. If there are fewer
 * GPUs than processes, several processes share one.
 *
 * @example
 * seeOwnGpu(2, 8) // CUDA_VISIBLE_DEVICES is 2
 */
export function seeOwnGpu(localRank: number, localWorldSize: number): void {
  const gpus = localWorldSize > 1 ? visibleGpus() : [];
  // A single visible GPU is this process's own, or the only one of the machine.
  const own = gpus.length > 1 ? gpus[localRank % gpus.length] : undefined;
  if (own === undefined) return;
  process.env['CUDA_VISIBLE_DEVICES'] = own;
  process.env['CUDA_DEVICE_ORDER'] ??= 'PCI_BUS_ID';
}

/** The GPUs that a process with this environment sees, as CUDA_VISIBLE_DEVICES names them. */
export function visibleGpus(environment: NodeJS.ProcessEnv = process.env): string[] {
  const listed = environment['CUDA_VISIBLE_DEVICES'];
  if (listed !== undefined) return listed.split(',').filter((name) => name.trim() !== '');
  const { status, stdout } = spawnSync('nvidia-smi', ['--query-gpu=index', '--format=csv,noheader'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\n').filter((line) => line.trim() !== '') : [];
}
