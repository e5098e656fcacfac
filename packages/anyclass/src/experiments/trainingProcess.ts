// One run as a child process that runs `anyclass train`: what ends it ends nothing else.

import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../files/wholeFile.js';
import type { PlannedRun } from './plan.js';
import type { RunState } from './runState.js';

export interface TrainingProcess {
  readonly done: Promise<TrainingOutcome>;
  /** Asks it to save a checkpoint and end. */
  stop(): void;
  /** Ends it at once. */
  kill(): void;
}

export interface TrainingOutcome {
  /** 'elsewhere': another process was at this run. */
  readonly kind: 'finished' | 'interrupted' | 'failed' | 'elsewhere';
  /** The last lines that it wrote to standard error. */
  readonly lastLines: readonly string[];
}

export interface TrainingFiles {
  /** Where the child finds the configuration of a new run. */
  readonly configuration: string;
  /** All that it writes, appended. */
  readonly log: string;
}

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));
const endWithParent = new URL('../../dist/experiments/endWithParent.js', import.meta.url).href;
const keptLines = 12;
/** What `train` says where another process got hold of the folder in the meantime. */
const takenElsewhere = /is working on this run|already holds a run/;

/**
 * Begins or resumes a run.
 *
 * @example
 * const child = startTraining(planned, 'absent', files, { env: process.env, onLine: (line) => console.error(line) });
 * (await child.done).kind // 'finished'
 */
export function startTraining(
  { folder, configuration }: PlannedRun,
  state: Exclude<RunState, 'finished'>,
  files: TrainingFiles,
  { env, onLine }: { readonly env: NodeJS.ProcessEnv; readonly onLine: (line: string) => void },
): TrainingProcess {
  mkdirSync(dirname(files.configuration), { recursive: true });
  mkdirSync(dirname(files.log), { recursive: true });
  writeWhole(files.configuration, `${JSON.stringify(configuration, null, 2)}\n`);
  const words = state === 'begun' ? ['--resume', folder] : [files.configuration, '--run', folder];
  // Its own process group: a terminal's Ctrl-C reaches us alone, and each child gets exactly one signal from us.
  const child = spawn(
    process.execPath,
    [...process.execArgv, `--import=${endWithParent}`, program, 'train', ...words],
    { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  const lastLines: string[] = [];
  const follow = (stream: NodeJS.ReadableStream, onEach: (line: string) => void) =>
    createInterface({ input: stream }).on('line', (line) => {
      try {
        appendFileSync(files.log, `${line}\n`);
      } catch {
        // Where the disk is full, the run itself says so; a line of a log is not worth ending all others.
      }
      onEach(line);
    });
  follow(child.stdout, () => {});
  follow(child.stderr, (line) => {
    lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
    onLine(line);
  });
  return {
    done: outcomeOf(child, lastLines),
    stop: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
  };
}

function outcomeOf(child: ChildProcess, lastLines: readonly string[]): Promise<TrainingOutcome> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'failed', lastLines: [error.message] }));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve({ kind: 'finished', lastLines });
      const isAsked = code === 130 || code === 143 || signal === 'SIGINT' || signal === 'SIGTERM';
      if (isAsked) return resolve({ kind: 'interrupted', lastLines });
      if (lastLines.some((line) => takenElsewhere.test(line)))
        return resolve({ kind: 'elsewhere', lastLines });
      const end = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      resolve({ kind: 'failed', lastLines: [...lastLines, end] });
    });
  });
}
