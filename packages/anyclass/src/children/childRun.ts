// Trains a run in its own process, so that a crash affects nothing else. The process reports its
// events over a channel, and everything it prints goes to a log file.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Configuration } from '../configuration/schema.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { FailedEvent, RunEventListener } from '../events/runEvent.js';
import { isRunEvent, type ParentMessage, parentVariable } from './messages.js';
import { waitingForWork } from './receivedWork.js';
import type { TrainWork, Work, WorkMessage } from './work.js';

export interface ChildRunOptions {
  /** The run folder. */
  readonly folder: string;
  readonly configuration: Configuration;
  /** Whether the folder already holds the run. */
  readonly isBegun: boolean;
  /** The file to which the child's output is appended. */
  readonly log: string;
  /** See `TrainWork.isPart`. */
  readonly isPart?: boolean;
  /** Number of processes that share the run's work. Default 1. */
  readonly processes?: number | undefined;
  /** Environment variables to add to our own. */
  readonly env: Readonly<Record<string, string>>;
  readonly onEvent: RunEventListener;
  /** Called after each epoch; if it resolves to true, the run stops with its checkpoint saved. */
  readonly onEpoch?: (record: EpochRecord) => Promise<boolean>;
}

export interface ChildRun {
  readonly done: Promise<ChildOutcome>;
  /** Asks the run to save a checkpoint and stop. */
  stop(): void;
  /** Kills the run immediately. */
  kill(): void;
}

export type ChildOutcome =
  | { readonly kind: 'finished' | 'interrupted' }
  /** Another process is working on the run, or started it in the meantime. */
  | { readonly kind: 'elsewhere'; readonly reason: string }
  /** `hasBegun`: it had already started training. `isUnwritable`: its folder took no more files, as on a full disk. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly hasBegun: boolean;
      readonly isUnwritable?: boolean;
    }
  /** It died without reporting a reason; another attempt may succeed. */
  | { readonly kind: 'died'; readonly reason: string };

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));

/**
 * Starts or resumes a run in its own process.
 *
 * @example
 * const child = startChildRun({ folder, configuration, isBegun: false, log: 'run.log', env: {}, onEvent: console.error });
 * (await child.done).kind // 'finished'
 */
export function startChildRun(options: ChildRunOptions): ChildRun {
  const { folder, configuration, isBegun, isPart = false, processes = 1, env, onEvent, onEpoch } = options;
  const run = isBegun ? { resume: folder } : { configuration, folder };
  const training: TrainWork = { kind: 'train', run, json: false, isPart };
  const work: Work = processes > 1 ? { kind: 'launch', processes, work: training } : training;
  mkdirSync(dirname(options.log), { recursive: true });
  const log = openSync(options.log, 'a');
  // Its own process group: Ctrl-C in the terminal reaches only us, and we send each child exactly one signal.
  const child = spawn(process.execPath, [...process.execArgv, program, work.kind], {
    env: {
      ...process.env,
      ...env,
      ...waitingForWork('channel'),
      [parentVariable]: onEpoch ? 'judges' : 'follows',
    },
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  // Sending to a process that just died is not an error; its exit is reported separately.
  const say = (message: ParentMessage | WorkMessage) =>
    void (child.connected && child.send(message, () => {}));
  say({ kind: 'work', work, isDebugging: false });
  const seen: Seen = { hasBegun: false, failure: undefined };
  child.on('message', (message) => {
    if (!isRunEvent(message)) return;
    if (message.type === 'started') seen.hasBegun = true;
    if (message.type === 'failed') seen.failure = message;
    onEvent(message);
    if (message.type === 'validated' && onEpoch)
      void onEpoch(message.record).then((isOver) => say({ kind: 'verdict', isOver }));
  });
  return {
    done: outcomeOf(child, seen, options.log),
    stop: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
  };
}

interface Seen {
  hasBegun: boolean;
  failure: FailedEvent | undefined;
}

function outcomeOf(child: ChildProcess, seen: Seen, log: string): Promise<ChildOutcome> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'died', reason: error.message }));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve({ kind: 'finished' });
      const isAsked = code === 130 || code === 143 || signal === 'SIGINT' || signal === 'SIGTERM';
      if (isAsked) return resolve({ kind: 'interrupted' });
      const { failure, hasBegun } = seen;
      if (failure?.code === 'run-busy' || failure?.code === 'run-exists')
        return resolve({ kind: 'elsewhere', reason: failure.message });
      // A rank that lost another is not the cause; the run died with the rank that was lost.
      if (failure && failure.code !== 'rank-lost')
        return resolve({
          kind: 'failed',
          reason: failure.message,
          hasBegun,
          ...(failure.code === 'run-unwritable' && { isUnwritable: true }),
        });
      const end = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      resolve({ kind: 'died', reason: [...lastLines(log), end].join('\n') });
    });
  });
}

const keptLines = 12;

/** The last lines that a process printed, which may say why it died. */
function lastLines(log: string): string[] {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-keptLines);
  } catch {
    return [];
  }
}
