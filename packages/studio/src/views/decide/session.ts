// The worker, and what it answered so far.

import { signal } from '@preact/signals';
import { startWorker } from '../../parts/workers.js';
import { askBytes } from '../../state/server.js';
import type { CurvePoint, FromWorker, Judged, LoadedRows, ToWorker } from './messages.js';

/** What is known of a run's rows. */
export interface Session {
  readonly loaded?: LoadedRows;
  readonly judged?: Judged;
  readonly curve?: readonly CurvePoint[];
  readonly problem?: string;
}

export const sessions = signal<ReadonlyMap<string, Session>>(new Map());

let worker: Worker | undefined;
let turns = 0;
const judgeTurn = new Map<string, number>();
const curveTurn = new Map<string, number>();
const asked = new Map<string, string>();
const judging = new Map<string, Question>();

type Question = Omit<Extract<ToWorker, { kind: 'judge' }>, 'kind' | 'turn'>;

function change(run: string, part: Session): void {
  sessions.value = new Map(sessions.value).set(run, { ...sessions.value.get(run), ...part });
}

function post(message: ToWorker, transfer: Transferable[] = []): void {
  if (!worker) {
    worker = startWorker('decide');
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => received(data));
    worker.addEventListener('error', (event) => {
      for (const run of sessions.value.keys()) change(run, { problem: event.message || 'the worker failed' });
    });
  }
  worker.postMessage(message, transfer);
}

function received(message: FromWorker): void {
  const { run } = message;
  if (message.kind === 'loaded') change(run, { loaded: message.rows });
  if (message.kind === 'problem') {
    judging.delete(run);
    change(run, { problem: message.message });
  }
  if (message.kind === 'judged' && message.turn === judgeTurn.get(run))
    change(run, { judged: message.judged });
  if (message.kind === 'point' && message.turn === curveTurn.get(run))
    change(run, { curve: [...(sessions.value.get(run)?.curve ?? []), message.point] });
}

/** Loads the rows of a run, once for each version of its scores. */
export function load(run: string, version: string): void {
  if (asked.get(run) === version) return;
  asked.set(run, version);
  judging.delete(run);
  sessions.value = new Map(sessions.value).set(run, {});
  askBytes('scores', { run }).then(
    (bytes) => post({ kind: 'load', run, bytes }, [bytes]),
    (error) => {
      asked.delete(run);
      change(run, { problem: error instanceof Error ? error.message : String(error) });
    },
  );
}

/** Asks what a budget makes of the rows, unless that was the last question; only the newest answer counts. */
export function judge(question: Question): void {
  const last = judging.get(question.run);
  if (last && isSame(last, question)) return;
  judging.set(question.run, question);
  const turn = ++turns;
  judgeTurn.set(question.run, turn);
  post({ kind: 'judge', turn, ...question });
}

function isSame(a: Question, b: Question): boolean {
  return (
    a.budget.falseAlarms === b.budget.falseAlarms &&
    a.budget.missed === b.budget.missed &&
    a.settings === b.settings &&
    a.saved === b.saved &&
    a.isSaved === b.isSaved
  );
}

/** Asks for a curve over budgets, which comes point by point. */
export function drawCurve(question: Omit<Extract<ToWorker, { kind: 'curve' }>, 'kind' | 'turn'>): void {
  const turn = ++turns;
  curveTurn.set(question.run, turn);
  change(question.run, { curve: [] });
  post({ kind: 'curve', turn, ...question });
}
