// Runs one rank as a process and follows it: its events over a channel, and how it exited.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { launcherVariable } from '../messages.js';
import { waitingForWork } from '../receivedWork.js';
import type { WorkMessage } from '../work.js';
import { isRankFailure, type RankFailure } from './rankFailure.js';

export interface RankProcess {
  readonly rank: number;
  readonly child: ChildProcess;
  readonly ended: Promise<RankEnd>;
}

export interface RankEnd {
  readonly rank: number;
  /** Name for messages; by default its rank and process id. */
  readonly name?: string;
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Time of exit, in milliseconds of the launcher's clock. */
  readonly at: number;
  /** The failure it reported; undefined if it succeeded or reported nothing. */
  readonly failure: RankFailure | undefined;
  /** The last lines it printed, if they did not go to the terminal. */
  readonly lastLines: readonly string[];
}

export interface RankProcessOptions {
  readonly rank: number;
  readonly message: WorkMessage;
  readonly env: Readonly<Record<string, string>>;
  /** Only the first of all ranks prints to our own streams; the others' output is kept in case they die. */
  readonly isFirst: boolean;
  readonly onMessage: (message: unknown) => void;
}

const program = fileURLToPath(new URL('../../../bin/anyclass.js', import.meta.url));
const keptBytes = 4000;
export const keptLines = 12;

export function startRank({ rank, message, env, isFirst, onMessage }: RankProcessOptions): RankProcess {
  // Its own process group: Ctrl-C in the terminal reaches only us, and we send each rank exactly one signal.
  const child = spawn(process.execPath, [...process.execArgv, program, message.work.kind], {
    env: { ...process.env, ...env, ...waitingForWork('channel'), [launcherVariable]: '1' },
    stdio: ['ignore', isFirst ? 'inherit' : 'ignore', isFirst ? 'inherit' : 'pipe', 'ipc'],
    detached: true,
  });
  child.send(message, () => {}); // if it has just died, its exit is reported anyway
  let failure: RankFailure | undefined;
  let printed = '';
  child.stderr?.on('data', (text: Buffer) => {
    printed = `${printed}${text}`.slice(-keptBytes);
  });
  child.on('message', (said) => {
    if (isRankFailure(said)) failure = said;
    else onMessage(said);
  });
  const ended = new Promise<RankEnd>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({
        rank,
        pid: child.pid,
        code,
        signal,
        at: performance.now(),
        failure,
        lastLines: printed.trimEnd().split('\n').slice(-keptLines).filter(Boolean),
      });
    child.once('error', () => end(1, null));
    child.once('close', end);
  });
  return { rank, child, ended };
}
