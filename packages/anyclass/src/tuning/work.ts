// Works on a study: claims a trial, runs it and records the outcome, until none is left.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildOutcome } from '../children/childRun.js';
import { UserError } from '../errors/userError.js';
import type { ChildEvent, RunEvent, RunEventListener } from '../events/runEvent.js';
import type { Trial } from './events.js';
import { type Claim, type Ledger, openLedger, type Verdict } from './ledger.js';
import type { StudySettings } from './study.js';
import { startPulse } from './workerLife.js';

/** Callbacks for an objective while it runs a trial. */
export interface TrialHooks {
  /** Call with the metric after each epoch, counted from 1. If it resolves to true, the trial must stop. */
  report(epoch: number, value: number | null): Promise<boolean>;
  /** When aborted, the trial saves a checkpoint and stops. */
  readonly signal: AbortSignal;
  /** Call with the trial's progress. */
  onEvent(event: RunEvent): void;
}

/** How a trial ended; one that was told to stop has finished. */
export type Outcome = Exclude<ChildOutcome, { readonly kind: 'elsewhere' }>;

/** Runs a trial: trains with its values, or does anything else that has epochs and a metric. */
export type Objective = (claim: Claim, hooks: TrialHooks) => Promise<Outcome>;

export interface WorkOptions {
  readonly objective: Objective;
  /** How many trials to run side by side; default 1. */
  readonly workers?: number;
  /** When aborted, the trials in progress are returned to the study and the work stops. */
  readonly signal?: AbortSignal;
  /** Called with the trials' progress and outcomes, as `child` events. */
  readonly onEvent?: RunEventListener;
}

const idleMilliseconds = 500;
/** Work stops after this many failures without a success. */
const mostFailures = 3;

/**
 * Works on a study until all its trials are done or the signal is aborted. Any number of processes may do so
 * at once.
 *
 * @example
 * const objective = trainTrial('studies/sewer', settings, { workers: 2 });
 * await work('studies/sewer', settings, { objective, workers: 2 });
 */
export async function work(folder: string, settings: StudySettings, options: WorkOptions): Promise<void> {
  using pulse = startPulse(folder);
  const ledger = openLedger(folder, settings);
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(options.signal ? [options.signal] : [])]);
  const workOn = async (worker: number): Promise<void> => {
    while (!signal.aborted) {
      const claim = await ledger.claim(pulse.worker);
      if (claim === 'done') return;
      if (claim === 'wait') {
        options.onEvent?.({ type: 'child', name: '', state: 'waiting', worker });
        await sleep(idleMilliseconds, undefined, { signal }).catch(() => {});
      } else {
        await carryOut(ledger, claim, worker, { ...options, signal });
      }
    }
  };
  const workers = Array.from({ length: options.workers ?? 1 }, (_, worker) =>
    workOn(worker).catch((error: unknown) => {
      failure.abort();
      throw error;
    }),
  );
  await Promise.allSettled(workers);
  await Promise.all(workers);
}

async function carryOut(
  ledger: Ledger,
  claim: Claim,
  worker: number,
  { objective, signal, onEvent }: WorkOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const started = performance.now();
  const seconds = () => Math.round(performance.now() - started) / 1000;
  const last: { verdict: Verdict } = { verdict: 'on' };
  const tell = (news: Pick<ChildEvent, 'state' | 'event' | 'reason'>) =>
    onEvent?.({ type: 'child', name: `trial ${claim.trial}`, trial: claim.trial, worker, ...news });
  tell({ state: 'running' });
  const outcome = await objective(claim, {
    signal,
    onEvent: (event) => tell({ state: 'running', event }),
    async report(epoch, value) {
      last.verdict = await ledger.report(claim, epoch, value, seconds());
      return last.verdict !== 'on';
    },
  });
  if (last.verdict === 'taken') return;
  if (last.verdict === 'stop') {
    tell({ state: 'stopped' });
    return;
  }
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  const isUnwritable = outcome.kind === 'failed' && outcome.isUnwritable === true;
  const isHopeless = outcome.kind === 'failed' && isFaultOfAll(ledger.state().trials, outcome.hasBegun);
  if (outcome.kind === 'interrupted' || isUnwritable || isHopeless)
    await ledger.giveBack(claim, 'interrupted');
  else if (outcome.kind === 'died') await ledger.giveBack(claim, 'died', reason);
  else await ledger.end(claim, outcome.kind, seconds(), reason);
  // Not the fault of its values: it waits until there is room, and the other trials would end alike.
  if (isUnwritable) throw new UserError(`trial ${claim.trial}: ${reason}`);
  if (isHopeless) throw new UserError(`trial ${claim.trial} failed, like all before it: ${reason}`);
  tell({
    state: outcome.kind === 'died' ? 'interrupted' : outcome.kind,
    ...(reason !== undefined && { reason }),
  });
}

/** Repeated failures, or one before training, come from data, configuration or machine, not the values. */
function isFaultOfAll(trials: readonly Trial[], hasBegun: boolean): boolean {
  if (trials.some(({ history }) => history.length > 0)) return false;
  return !hasBegun || trials.filter(({ status }) => status === 'failed').length >= mostFailures - 1;
}
