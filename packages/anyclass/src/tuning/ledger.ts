// Tracks which worker has which trial. Every change to a study goes through its journal, under its lock.

import { join } from 'node:path';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import {
  afterEvent,
  emptyState,
  type StudyEvent,
  type StudyState,
  type Trial,
  type Worker,
} from './events.js';
import { endsAtRung, rungs } from './halving.js';
import { openJournal } from './journal.js';
import { type Observation, sample, type Values } from './sampler.js';
import { bestScore } from './score.js';
import type { StudySettings } from './study.js';
import { withStudyLock } from './studyLock.js';
import { type DeathWatch, watchWorkers } from './workerLife.js';

/** A trial that a worker has taken. */
export interface Claim {
  readonly trial: number;
  readonly attempt: number;
  readonly values: Values;
  /** Folder of its run, relative to the study's. */
  readonly folder: string;
}

/** The verdict after an epoch: the trial continues, must stop, or was taken over by another worker. */
export type Verdict = 'on' | 'stop' | 'taken';

export interface Ledger {
  /** The current state according to the journal. */
  state(): StudyState;
  /** Sets how many trials the study should have; throws if the number is lower than before. */
  setGoal(trials: number): Promise<void>;
  /** Takes the next trial: one that was returned or whose worker is dead, or else a new one. */
  claim(worker: Worker): Promise<Claim | 'wait' | 'done'>;
  /** Records the metric after an epoch and says whether the trial continues. */
  report(claim: Claim, epoch: number, value: number | null, seconds: number): Promise<Verdict>;
  end(claim: Claim, outcome: 'finished' | 'failed', seconds: number, reason?: string): Promise<void>;
  giveBack(claim: Claim, cause: 'interrupted' | 'died', reason?: string): Promise<void>;
}

/** If a trial's process dies more often, the trial itself is to blame, perhaps by needing too much memory. */
const defaultRetries = 1;

/**
 * Opens the ledger of an existing study.
 *
 * @example
 * const ledger = openLedger('studies/sewer', settings);
 * const claim = await ledger.claim(pulse.worker);
 */
export function openLedger(folder: string, settings: StudySettings, isDead?: DeathWatch): Ledger {
  const { metric, seed, eta, minEpochs, configuration, retries = defaultRetries } = settings;
  const mostDeaths = retries + 1;
  const diedTooOften = `its process died ${counted(mostDeaths, 'time')} without completing an epoch`;
  // A reason ends with how the process exited, after what it printed, but tables show only the first line.
  const lastWords = (reason?: string) =>
    reason === undefined ? diedTooOften : `${diedTooOften} (${reason.split('\n').at(-1)})\n${reason}`;
  const { search: space } = settings;
  const judgedAfter = rungs({ eta, minEpochs }, configuration.epochs);
  const isGone = isDead ?? watchWorkers(folder);
  const journal = openJournal(join(folder, 'journal.jsonl'));
  let state = emptyState;
  const refresh = () => {
    state = journal.readNew().reduce(afterEvent, state);
    return state;
  };
  const change = <Result>(decide: (append: (...events: StudyEvent[]) => StudyState) => Result) =>
    withStudyLock(folder, () => {
      refresh();
      return decide((...events) => {
        journal.append(events);
        return refresh();
      });
    });
  const holds = ({ trial, attempt }: Claim) => {
    const known = state.trials[trial];
    return known?.status === 'running' && known.attempt === attempt;
  };

  return {
    state: refresh,
    setGoal: (trials) =>
      change((append) => {
        if (trials < state.goal) {
          throw new UserError(
            `${folder}: the study has a goal of ${state.goal} trials, which can be raised but not lowered to ${trials}; omit trials, or start another study`,
          );
        }
        if (trials > state.goal) append({ event: 'goal', trials });
      }),
    claim: (worker) =>
      change((append) => {
        for (const { status, worker: holder, deaths, number: trial, attempt } of state.trials) {
          if (status === 'running' && deaths + 1 >= mostDeaths && isGone(holder))
            append({ event: 'end', trial, attempt, outcome: 'failed', seconds: 0, reason: diedTooOften });
        }
        const open = state.trials.find(
          ({ status, worker: holder }) => status === 'waiting' || (status === 'running' && isGone(holder)),
        );
        if (!open && state.trials.length >= state.goal)
          return state.trials.some(({ status }) => status === 'running') ? 'wait' : 'done';
        const claim = open ? nextAttempt(open, worker) : newTrial(state.trials.length);
        append({ event: 'start', worker, ...claim });
        // If the file system's locks fail, the first journal line counts, and the other worker asks again.
        const isOwn = holds(claim) && state.trials[claim.trial]?.worker.id === worker.id;
        return isOwn ? claim : 'wait';
      }),
    report: (claim, epoch, value, seconds) =>
      change((append) => {
        if (!holds(claim)) return 'taken';
        const { trial, attempt } = claim;
        const noted: StudyEvent = { event: 'epoch', trial, attempt, epoch, value };
        const isStopped = judgedAfter.includes(epoch) && endsHere(afterEvent(state, noted), trial, epoch);
        // In one append: otherwise a worker killed in between would leave a trial that escapes its verdict.
        if (isStopped) append(noted, { event: 'end', trial, attempt, outcome: 'stopped', seconds });
        else append(noted);
        return isStopped ? 'stop' : 'on';
      }),
    end: ({ trial, attempt }, outcome, seconds, reason) =>
      change((append) => void append({ event: 'end', trial, attempt, outcome, seconds, reason })),
    giveBack: (claim, cause, reason) =>
      change((append) => {
        const { trial, attempt } = claim;
        const isLast = cause === 'died' && (state.trials[trial]?.deaths ?? 0) + 1 >= mostDeaths;
        append(
          isLast
            ? { event: 'end', trial, attempt, outcome: 'failed', seconds: 0, reason: lastWords(reason) }
            : { event: 'back', trial, attempt, cause },
        );
      }),
  };

  function newTrial(trial: number): Claim {
    const observations = state.trials.flatMap((known): Observation[] => {
      if (known.status === 'running' || known.status === 'waiting') return [];
      return [{ values: known.values, score: known.status === 'failed' ? null : bestScore(known, metric) }];
    });
    const values = sample(space, observations, { seed, trial });
    return { trial, attempt: 1, values, folder: runFolder(trial) };
  }

  function endsHere({ trials }: StudyState, trial: number, epoch: number): boolean {
    const others = trials.filter(({ number, history }) => number !== trial && history.length >= epoch);
    return endsAtRung(
      bestScore(trials[trial]!, metric, epoch),
      others.map((other) => bestScore(other, metric, epoch)),
      eta,
    );
  }
}

/**
 * Continues in the same run. But if a worker on another machine went silent, it may only be asleep; two
 * processes must not write to one run, so the trial starts over in a new one.
 */
function nextAttempt({ number, attempt, values, folder, status, worker }: Trial, own: Worker): Claim {
  const isFresh = status === 'running' && worker.host !== own.host;
  const next = attempt + 1;
  return { trial: number, attempt: next, values, folder: isFresh ? `${runFolder(number)}-${next}` : folder };
}

function runFolder(trial: number): string {
  return join('trials', String(trial).padStart(4, '0'));
}
