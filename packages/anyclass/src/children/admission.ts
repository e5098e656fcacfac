// Decides how many runs train side by side on a device if the user did not say.

import { availableParallelism } from 'node:os';
import { type ChildDevice, freeGpuMemory } from './devices.js';

export interface RunningRun {
  /** Whether it has completed training and validation once, and so has allocated the memory that it needs. */
  readonly isSettled: boolean;
}

export interface Admission {
  /** Whether another run may start now, given those that are running. */
  admits(running: readonly RunningRun[]): boolean;
}

// More gains nothing: the GPU is busy, and only the start and end of runs are left to hide.
const mostSideBySide = 4;
const coresEach = 2;
/** A run that uses less memory than this, in MiB, is not on this GPU at all. */
const leastUse = 256;
/** Safety factor on the memory that runs took so far: convolutions are first tried with larger workspaces. */
const reserve = 1.3;

/**
 * Admits `jobs` runs if given. Otherwise one at a time; on a GPU, another may join once the running ones have
 * completed an epoch, if the memory of the largest so far plus some reserve is free.
 *
 * @example
 * createAdmission(device, 2).admits([]) // true
 */
export function createAdmission(
  { gpu }: Pick<ChildDevice, 'gpu'>,
  jobs: number | undefined,
  freeMemory: (gpu: string) => number | undefined = freeGpuMemory,
  cores = availableParallelism(),
): Admission {
  if (jobs !== undefined) return { admits: (running) => running.length < jobs };
  if (gpu === undefined) return { admits: (running) => running.length === 0 };
  const most = Math.max(1, Math.min(mostSideBySide, Math.floor(cores / coresEach)));
  let freeBefore: number | undefined;
  let largest = 0;
  return {
    admits(running) {
      if (running.length === 0) {
        freeBefore = freeMemory(gpu);
        return true;
      }
      if (freeBefore === undefined || running.length >= most) return false;
      if (!running.every(({ isSettled }) => isSettled)) return false;
      const free = freeMemory(gpu);
      if (free === undefined) return false;
      largest = Math.max(largest, (freeBefore - free) / running.length);
      return largest >= leastUse && free >= reserve * largest;
    },
  };
}
