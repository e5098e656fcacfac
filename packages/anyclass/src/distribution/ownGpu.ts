// Each process of a machine computes on a GPU of its own, which becomes the only one that it sees. Launchers that bind GPUs to
// tasks themselves leave one in sight, and nothing to choose.

import { spawnSync } from 'node:child_process';

/**
 * Narrows what CUDA will see to this process's GPU; call it before CUDA is first asked for anything. Where there are fewer GPUs
 * than processes, several share one.
 *
 * @example
 * seeOwnGpu(2, 8) // CUDA_VISIBLE_DEVICES is 2
 */
export function seeOwnGpu(localRank: number, localWorldSize: number): void {
  const gpus = localWorldSize > 1 ? visibleGpus() : [];
  // One in sight is this process's own, or all that the machine has.
  const own = gpus.length > 1 ? gpus[localRank % gpus.length] : undefined;
  if (own === undefined) return;
  process.env['CUDA_VISIBLE_DEVICES'] = own;
  process.env['CUDA_DEVICE_ORDER'] ??= 'PCI_BUS_ID';
}

/** The GPUs that a process of this environment sees, as CUDA_VISIBLE_DEVICES names them. */
export function visibleGpus(environment: NodeJS.ProcessEnv = process.env): string[] {
  const listed = environment['CUDA_VISIBLE_DEVICES'];
  if (listed !== undefined) return listed.split(',').filter((name) => name.trim() !== '');
  const { status, stdout } = spawnSync('nvidia-smi', ['--query-gpu=index', '--format=csv,noheader'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\n').filter((line) => line.trim() !== '') : [];
}
