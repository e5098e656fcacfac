// How many runs go side by side on a device where the user did not say.

import { availableParallelism } from 'node:os';
import { type ChildDevice, freeGpuMemory } from './devices.js';

export interface RunningRun {
  /** Whether it has been through training and validation once: then it has the memory that it needs. */
  readonly isSettled: boolean;
}

export interface Admission {
  /** Whether one more may start now beside those that run. */
  admits(running: readonly RunningRun[]): boolean;
}

// More than this gains nothing: the GPU is busy, and what is left to hide is the start and the end of runs.
const mostSideBySide = 4;
const coresEach = 2;
/** MiB below which a run is not on this GPU at all. */
const leastUse = 256;
/** What has to be free beyond what runs took so far: convolutions are tried out with larger workspaces first. */
const reserve = 1.3;

/**
 * A fixed number where it is given. Else one at a time, and on a GPU another one beside those that have been through an epoch
 * while the memory of the largest so far, and some reserve, is free.
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
