// The events of a study, and the state of its trials that follows from them.

import { z } from 'zod';

const trial = z.int().min(0);
const attempt = z.int().positive();
const score = z.number().nullable();

const worker = z.object({ id: z.string(), host: z.string(), pid: z.int(), started: z.string() });

/** A process that works on a study. */
export type Worker = z.output<typeof worker>;

export const studyEvent = z.discriminatedUnion('event', [
  /** How many trials the study should have; the last such event counts. */
  z.object({ event: z.literal('goal'), trials: z.int().positive() }),
  /** A worker takes a trial. Attempts count from 1. */
  z.object({
    event: z.literal('start'),
    trial,
    attempt,
    worker,
    folder: z.string(),
    values: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
  }),
  /** The metric after an epoch, counted from 1; null if it is undefined. */
  z.object({ event: z.literal('epoch'), trial, attempt, epoch: z.int().positive(), value: score }),
  /** The trial is over. */
  z.object({
    event: z.literal('end'),
    trial,
    attempt,
    outcome: z.enum(['finished', 'stopped', 'failed']),
    seconds: z.number(),
    reason: z.string().optional(),
  }),
  /**
   * The worker returns the trial, to be resumed later: it was interrupted, or the trial's own process died.
   */
  z.object({ event: z.literal('back'), trial, attempt, cause: z.enum(['interrupted', 'died']) }),
]);

export type StudyEvent = z.output<typeof studyEvent>;

export interface Trial {
  readonly number: number;
  readonly values: Extract<StudyEvent, { event: 'start' }>['values'];
  readonly status: 'running' | 'waiting' | 'finished' | 'stopped' | 'failed';
  readonly attempt: number;
  readonly worker: Worker;
  /** Relative to the study's folder. */
  readonly folder: string;
  /** The metric after each epoch. */
  readonly history: readonly (number | null)[];
  /** How often a process working on it died since its last new epoch. */
  readonly deaths: number;
  /** Duration of the final attempt. */
  readonly seconds?: number;
  readonly reason?: string;
}

export interface StudyState {
  readonly trials: readonly Trial[];
  readonly goal: number;
}

export const emptyState: StudyState = { trials: [], goal: 0 };

/**
 * Returns the state after an event. An event that does not fit changes nothing: for example, one about a
 * trial that another worker has taken over in the meantime, or one that starts a trial number already in use.
 *
 * @example
 * afterEvent(emptyState, { event: 'goal', trials: 30 }).goal // 30
 */
export function afterEvent(state: StudyState, event: StudyEvent): StudyState {
  if (event.event === 'goal') return { ...state, goal: event.trials };
  const known = state.trials[event.trial];
  const changed =
    event.event === 'start'
      ? started(state, event)
      : known?.attempt === event.attempt && continued(known, event);
  if (!changed) return state;
  const trials = [...state.trials];
  trials[changed.number] = changed;
  return { ...state, trials };
}

type EventOf<Name> = Extract<StudyEvent, { event: Name }>;

function started({ trials }: StudyState, event: EventOf<'start'>): Trial | undefined {
  const { trial: number, values, attempt, worker, folder } = event;
  const before = trials[number];
  const isOpen = before?.status === 'running' || before?.status === 'waiting';
  const fits = before ? isOpen && attempt === before.attempt + 1 : attempt === 1 && number === trials.length;
  if (!fits) return undefined;
  const { history = [], deaths = 0 } = before ?? {};
  // The trial was taken over from a worker that did not return it, so that worker is dead.
  const died = before?.status === 'running' ? 1 : 0;
  return { number, values, status: 'running', attempt, worker, folder, history, deaths: deaths + died };
}

function continued(trial: Trial, event: EventOf<'epoch' | 'end' | 'back'>): Trial | undefined {
  if (trial.status !== 'running') return undefined;
  if (event.event === 'epoch') {
    // A trial that resumes from an earlier checkpoint repeats its last epochs.
    const history = [...trial.history.slice(0, event.epoch - 1), event.value];
    // A trial that makes progress did not kill its own process: it gets all its restarts back.
    const deaths = event.epoch > trial.history.length ? 0 : trial.deaths;
    return { ...trial, history, deaths };
  }
  if (event.event === 'back')
    return { ...trial, status: 'waiting', deaths: trial.deaths + (event.cause === 'died' ? 1 : 0) };
  const { outcome: status, seconds, reason } = event;
  return { ...trial, status, seconds, ...(reason !== undefined && { reason }) };
}
