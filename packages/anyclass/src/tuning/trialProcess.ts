// The process of a trial: trains or goes on with one run, asks its worker after each epoch, and tells it how it ended.
// Without its worker it saves a checkpoint and ends.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProgressBar } from '../commandLine/progressBar.js';
import { validateConfiguration } from '../configuration/validate.js';
import { messageOf } from '../errors/reasonOf.js';
import type { EpochRecord } from '../events/epochRecord.js';
import { lockRun } from '../runs/runLock.js';
import { lazyEngine } from '../training/lazyEngine.js';
import type { TrainingLog } from '../training/log.js';
import { metricValue } from '../training/progress.js';
import { type TrialMessage, trialTask, workerMessage } from './trialMessages.js';

/** The process of a worker that was killed may still be saving its last checkpoint. */
const lockPatience = 60_000;

const task = trialTask.parse(JSON.parse(process.argv[2] ?? ''));
const configuration = validateConfiguration(task.configuration);
const interruption = new AbortController();
const answers: ((isOver: boolean) => void)[] = [];

process.on('message', (raw) => {
  const message = workerMessage.parse(raw);
  if (message.kind === 'interrupt') interrupt();
  else answers.shift()?.(message.isOver);
});
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(event, interrupt);

const isDone = (name: string) => existsSync(join(task.folder, name));
try {
  await freeFolder();
  const { train, resume } = await lazyEngine.training();
  const options = { log: progressLog(), signal: interruption.signal, onEpoch: askWorker };
  const result = isDone('config.json')
    ? await resume(task.folder, options)
    : await train(configuration, { ...options, run: task.folder });
  say({ kind: result.summary ? 'finished' : 'interrupted' });
} catch (error) {
  const reason = messageOf(error);
  say(
    interruption.signal.aborted
      ? { kind: 'interrupted' }
      : { kind: 'failed', reason, hasBegun: isDone('config.json') },
  );
}
process.disconnect?.();

/** Whoever interrupts has no verdict for us any more. */
function interrupt(): void {
  interruption.abort();
  for (const answer of answers.splice(0)) answer(true);
}

/** Waits until nobody works on the run; what was left of one that had not begun is removed. */
async function freeFolder(): Promise<void> {
  mkdirSync(task.folder, { recursive: true });
  const started = performance.now();
  for (;;) {
    try {
      using _lock = lockRun(task.folder);
      break;
    } catch (error) {
      if (performance.now() - started > lockPatience) throw error;
      await sleep(200);
    }
  }
  if (!isDone('config.json')) rmSync(task.folder, { recursive: true, force: true });
}

function askWorker(record: EpochRecord): Promise<boolean> {
  const { epoch, validation: metrics, validationLoss: loss, validationBce: bce } = record;
  const answer = new Promise<boolean>((resolve) => answers.push(resolve));
  say({ kind: 'epoch', epoch, value: metricValue({ metrics, loss, bce }, configuration.bestBy) });
  return process.connected ? answer : Promise.resolve(true);
}

function progressLog(): TrainingLog {
  return {
    note: () => {},
    progress: (label, total, unit) =>
      new ProgressBar(label, total, unit, {
        isTTY: true,
        columns: 200,
        write: (text) => say({ kind: 'progress', text: plain(text) }),
      }),
  };
}

/** Without the bar and what moves the cursor. */
function plain(text: string): string {
  return text
    .replace('\r\x1b[K', '')
    .replace(/[█░]+ /, '')
    .trimEnd();
}

function say(message: TrialMessage): void {
  if (process.connected) process.send?.(message);
}
