// The worker of Decide: the page stays responsive whatever the number of rows. Handles come first; points of curves are computed between.

import { type DecideEngine, decideEngine } from '../views/decide/engine.js';
import type { FromWorker, ToWorker } from '../views/decide/messages.js';

const engines = new Map<string, DecideEngine>();
type Judge = Extract<ToWorker, { kind: 'judge' }>;
type Curve = Extract<ToWorker, { kind: 'curve' }>;

/** The newest question of each kind by run; a newer one replaces it. */
const judging = new Map<string, Judge>();
const curves = new Map<string, { readonly asked: Curve; next: number }>();
let isScheduled = false;

const tell = (message: FromWorker) => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'load') guarded(data.run, () => load(data.run, data.bytes));
  if (data.kind === 'judge') judging.set(data.run, data);
  if (data.kind === 'curve') curves.set(data.run, { asked: data, next: 0 });
  schedule();
});

function load(run: string, bytes: ArrayBuffer): void {
  const engine = decideEngine(bytes);
  engines.set(run, engine);
  tell({ kind: 'loaded', run, rows: engine.loaded });
}

/** One piece of work, then the messages that came meanwhile. */
function schedule(): void {
  if (isScheduled || judging.size + curves.size === 0) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    work();
    schedule();
  });
}

function work(): void {
  const judge = judging.values().next().value;
  if (judge) {
    judging.delete(judge.run);
    guarded(judge.run, () => {
      const { run, turn, budget, settings, saved, isSaved } = judge;
      const judged = engines.get(run)?.judge(budget, settings, saved, isSaved);
      if (judged) tell({ kind: 'judged', run, turn, judged });
    });
    return;
  }
  const curve = curves.values().next().value;
  if (!curve) return;
  const { run, turn, missed, settings, budgets } = curve.asked;
  const falseAlarms = budgets[curve.next++];
  if (falseAlarms === undefined) {
    curves.delete(run);
    return;
  }
  guarded(run, () => {
    const point = engines.get(run)?.point({ falseAlarms, missed }, settings);
    if (point) tell({ kind: 'point', run, turn, point });
  });
}

function guarded(run: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    judging.delete(run);
    curves.delete(run);
    tell({ kind: 'problem', run, message: error instanceof Error ? error.message : String(error) });
  }
}
