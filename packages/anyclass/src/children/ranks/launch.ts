// Starts the ranks on this machine and supervises them. If one fails, all stop with one message; if restarts
// are left, all resume from the last checkpoint.

import { rmSync } from 'node:fs';
import { availableParallelism, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '@anyclass/files';
import { visibleGpus } from '../../distribution/ownGpu.js';
import { backendVariable, meetVariable, timeoutVariable } from '../../distribution/ranks.js';
import { counted } from '../../errors/counted.js';
import type { RunEvent } from '../../events/runEvent.js';
import { isRunEvent, parentVariable } from '../messages.js';
import type { RankPlaces, RankWork } from '../work.js';
import { allEnded } from './allEnded.js';
import type { LaunchOutcome } from './rankEnds.js';
import { startRank } from './rankProcess.js';
import { type ResumedWork, resumedWork } from './resumedWork.js';

export interface LaunchOptions {
  /** The same for all ranks. */
  readonly work: RankWork;
  /** Whether the ranks show errors with a stack trace. */
  readonly isDebugging: boolean;
  readonly places: RankPlaces;
  readonly restarts: number;
  /** Called with the events of the ranks on this machine. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** How long a rank waits for the others. */
  readonly timeoutSeconds?: number | undefined;
  readonly note: (text: string) => void;
  /** When aborted, the ranks save a checkpoint and stop; `kill` kills them. */
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** How long ranks have to exit by themselves after one has failed: to read why, and to disconnect. */
export const graceMilliseconds = 8000;

/**
 * Runs all ranks until they exit, including restarts.
 *
 * @example
 * const places = { first: 0, processes: 2, worldSize: 2, masterAddress: '127.0.0.1' };
 * await launchRanks({ work: { kind: 'train', run: { configuration }, json: false }, places, restarts: 0, note: console.error, signal, kill });
 */
export async function launchRanks(options: LaunchOptions): Promise<LaunchOutcome> {
  return restarting(options, (work) => attempt(options, work));
}

/** Makes attempts until one succeeds or another would not help. */
export async function restarting(
  options: Pick<LaunchOptions, 'work' | 'restarts' | 'signal' | 'note'>,
  attempt: (work: ResumedWork) => Promise<LaunchOutcome>,
): Promise<LaunchOutcome> {
  const work = resumedWork(options.work);
  for (let left = options.restarts; ; left--) {
    const outcome = await attempt(work);
    if (outcome.kind !== 'failed' || !outcome.isWorthRestart || options.signal.aborted) return outcome;
    if (left <= 0) return outcome;
    for (const line of outcome.lines) options.note(line);
    options.note(
      `Restarting all ranks ${work.from()}; ${counted(left - 1, 'more restart')} if they fail again`,
    );
  }
}

async function attempt(options: LaunchOptions, work: ResumedWork): Promise<LaunchOutcome> {
  const { places, signal, kill } = options;
  // Ranks of one machine meet in a file that only this user can read, and open nothing to the network.
  const store =
    places.processes === places.worldSize && places.masterPort === undefined
      ? temporaryFolder('anyclass-ranks')
      : undefined;
  const message = { kind: 'work', work: work.next(), isDebugging: options.isDebugging } as const;
  const ranks = Array.from({ length: places.processes }, (_, localRank) =>
    startRank({
      rank: places.first + localRank,
      message,
      env: { ...environmentOf(options, localRank), ...(store && loopbackOnly(store)) },
      isFirst: places.first + localRank === 0,
      onMessage: (said) => {
        if (isRunEvent(said)) {
          work.listen(said);
          options.onEvent?.(said);
        }
        if (places.first + localRank === 0) relayToParent(said);
      },
    }),
  );
  const toAll = (name: NodeJS.Signals) => () => {
    for (const { child } of ranks) child.kill(name);
  };
  const [stop, end] = [toAll('SIGINT'), toAll('SIGKILL')];
  const toFirst = (message: unknown) => {
    const [first] = ranks;
    if (first?.child.connected && typeof message === 'object' && message !== null)
      first.child.send(message, () => {});
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', end);
  process.on('message', toFirst);
  try {
    return await allEnded(ranks, {
      graceMilliseconds,
      numberOf: ({ rank }) => rank,
      end: ({ child }) => child.kill('SIGKILL'),
    });
  } finally {
    signal.removeEventListener('abort', stop);
    kill.removeEventListener('abort', end);
    process.off('message', toFirst);
    if (store) rmSync(store, { recursive: true, force: true });
  }
}

/** What keeps ranks of one machine off the network: where they meet, and the interface over which they talk. */
function loopbackOnly(folder: string): Record<string, string> {
  const [name] =
    Object.entries(networkInterfaces()).find(([, addresses]) =>
      addresses?.some(({ internal }) => internal),
    ) ?? [];
  return {
    [meetVariable]: pathToFileURL(join(folder, 'store')).href,
    ...(name !== undefined &&
      process.env['GLOO_SOCKET_IFNAME'] === undefined && { GLOO_SOCKET_IFNAME: name }),
  };
}

function environmentOf({ places, timeoutSeconds }: LaunchOptions, localRank: number): Record<string, string> {
  const { first, processes, worldSize, masterAddress, masterPort } = places;
  const rank = first + localRank;
  const gpus = visibleGpus();
  const isGpuShared = gpus.length > 0 && gpus.length < processes;
  return {
    RANK: String(rank),
    WORLD_SIZE: String(worldSize),
    LOCAL_RANK: String(localRank),
    LOCAL_WORLD_SIZE: String(processes),
    MASTER_ADDR: masterAddress,
    ...(masterPort !== undefined && { MASTER_PORT: String(masterPort) }),
    [parentVariable]: (rank === 0 ? process.env[parentVariable] : undefined) ?? 'follows',
    ...(timeoutSeconds !== undefined && { [timeoutVariable]: String(timeoutSeconds) }),
    // NCCL refuses to share a GPU.
    ...(isGpuShared && process.env[backendVariable] === undefined && { [backendVariable]: 'gloo' }),
    ...(process.env['OMP_NUM_THREADS'] === undefined && {
      OMP_NUM_THREADS: String(Math.max(1, Math.floor(availableParallelism() / processes))),
    }),
  };
}

/** If an experiment or a study started us, it follows the first rank through us. */
function relayToParent(message: unknown): void {
  if (process.env[parentVariable] !== undefined && process.connected) process.send?.(message, () => {});
}
