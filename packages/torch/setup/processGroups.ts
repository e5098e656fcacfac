// Which process groups a libtorch has, and which source files replace those it lacks.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkedLibtorch } from '@anyclass/torch/builds';
import { type Log, output } from './shell.js';

export interface ProcessGroups {
  /** Whether it has c10d with Gloo. */
  readonly hasGloo: boolean;
  /** The folder of nccl.h, if its process groups have NCCL. */
  readonly nccl: string | undefined;
}

export function processGroups(libtorch: LinkedLibtorch, log: Log): ProcessGroups {
  // Gloo is untested there, and one process is enough for a machine without several GPUs.
  if (process.platform === 'darwin') return { hasGloo: false, nccl: undefined };
  const { file, lib, cuda } = libtorch;
  const hasNccl = cuda !== undefined && hasSymbol(join(lib, 'libtorch_cuda.so'), 'ProcessGroupNCCL');
  return {
    hasGloo: hasSymbol(file, 'ProcessGroupGloo'),
    nccl: hasNccl ? ncclHeaders(lib, cuda, log) : undefined,
  };
}

/** Whether a source file belongs in the build. Files named …None are stubs for what this libtorch lacks. */
export function isUsed(file: string, { hasGloo, nccl }: ProcessGroups): boolean {
  if (file === 'distributedNone.cc') return !hasGloo;
  if (file === 'nccl.cc') return hasGloo && nccl !== undefined;
  if (file === 'ncclNone.cc') return hasGloo && nccl === undefined;
  return hasGloo || !glooFiles.includes(file);
}

const glooFiles = ['background.cc', 'gradientBuckets.cc', 'groups.cc', 'stores.cc', 'works.cc'];

/** @param name part of a mangled name */
function hasSymbol(library: string, name: string): boolean {
  return output('sh', ['-c', 'nm -D --defined-only "$0" | grep -q "$1"', library, name]) !== undefined;
}

/** Finds the folder of nccl.h: next to pip's torch, which brings its own NCCL, in the CUDA toolkit or in the system. */
function ncclHeaders(lib: string, cuda: string, log: Log): string | undefined {
  const candidates = [
    join(lib, '../../nvidia/nccl/include'),
    join(cuda, 'include'),
    '/usr/include',
    '/usr/local/include',
  ];
  const found = candidates.find((folder) => existsSync(join(folder, 'nccl.h')));
  if (!found) log('nccl.h not found; process groups will use Gloo only, also for GPUs');
  return found;
}
