// The processes among which work is divided. A launcher (torchrun, srun, anyclass launch) starts them all
// with the same command; each learns from its environment which one it is.

import { availableParallelism } from 'node:os';
import { distributed } from '@anyclass/torch';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { seeOwnGpu } from './ownGpu.js';

/** This process among the others. */
export interface Ranks {
  readonly rank: number;
  readonly worldSize: number;
  /** This process's number among the processes on this machine. */
  readonly localRank: number;
  readonly localWorldSize: number;
  /** The backend that exchanges gradients on a GPU. */
  readonly backend: distributed.BackendName;
  /** Whether this is the first rank, which writes files and communicates with the user. */
  readonly isFirst: boolean;
  readonly group: distributed.ProcessGroup;
}

/** What a run's record says about the processes that trained it. */
export interface Distribution {
  readonly worldSize: number;
  readonly backend: distributed.BackendName;
}

export function distributionOf({ worldSize, backend }: Ranks): Distribution {
  return { worldSize, backend };
}

/** Environment variables for any launcher: seconds that a rank waits for the others, and the backend. */
export const timeoutVariable = 'ANYCLASS_TIMEOUT';
export const backendVariable = 'ANYCLASS_BACKEND';
/** Where the ranks meet; see `distributed.init`. */
export const meetVariable = 'ANYCLASS_MEET';
const defaultTimeout = 600;

let joined: Promise<Ranks> | undefined;

/**
 * Joins the processes that were started together with this one; undefined for a single process. They are
 * joined only once, and stay together for the life of the process.
 *
 * @example
 * const ranks = await joinRanks();
 * ranks?.worldSize // 2 under `anyclass launch --processes 2`
 */
export async function joinRanks(): Promise<Ranks | undefined> {
  if (!isLaunched()) return undefined;
  joined ??= join();
  return joined;
}

/** Whether a launcher started this process as one of several. */
function isLaunched(): boolean {
  return launchOf() !== undefined;
}

/** This process's share of the machine's CPU threads. */
export function ownThreads(): number {
  return Math.max(1, Math.floor(availableParallelism() / (launchOf()?.localWorldSize ?? 1)));
}

function launchOf(): distributed.LaunchEnvironment | undefined {
  try {
    return distributed.launchEnvironment();
  } catch (error) {
    throw new UserError(messageOf(error), { cause: error });
  }
}

async function join(): Promise<Ranks> {
  const { localRank: own = 0, localWorldSize: processes = 1 } = launchOf() ?? {};
  seeOwnGpu(own, processes);
  try {
    const group = await distributed.init({
      backend: wantedBackend(),
      timeoutSeconds: timeoutSeconds(),
      meet: process.env[meetVariable] ?? 'env://',
    });
    const { rank, worldSize, localRank, localWorldSize } = group;
    return { rank, worldSize, localRank, localWorldSize, backend: group.backend, isFirst: rank === 0, group };
  } catch (error) {
    if (error instanceof distributed.DistributedError)
      throw new UserError(error.message, { code: 'rank-lost', cause: error });
    throw new UserError(messageOf(error), { cause: error });
  }
}

function wantedBackend(): distributed.BackendName | 'auto' {
  const text = process.env[backendVariable] ?? 'auto';
  if (text === 'auto' || text === 'gloo' || text === 'nccl') return text;
  throw new UserError(`${backendVariable} is ${text}; expected auto, gloo or nccl`);
}

function timeoutSeconds(): number {
  const text = process.env[timeoutVariable];
  const seconds = text === undefined ? defaultTimeout : Number(text);
  if (!(seconds > 0)) throw new UserError(`${timeoutVariable} is ${text}; expected seconds, more than 0`);
  return seconds;
}
