// The live view of a study: a line for the study, and one for each worker of this process.

import type { ChildEvent, RunEventListener } from '../../events/runEvent.js';
import type { Trial } from '../../tuning/events.js';
import type { Ledger } from '../../tuning/ledger.js';
import { bestScore, direction, metricText, rankedTrials } from '../../tuning/score.js';
import type { StudySettings } from '../../tuning/study.js';
import { countText } from '../../tuning/studyResult.js';
import { liveLines } from './liveLines.js';
import type { ProgressOutput } from './progressBar.js';
import { workText } from './runDisplay.js';

export interface StudyDisplay extends Disposable {
  readonly onEvent: RunEventListener;
}

/** Milliseconds between a worker's lines if they cannot change in place. */
const plainLineEvery = 30_000;
const summaryEvery = 1000;

/**
 * Shows the progress of a study until disposed.
 *
 * @example
 * using display = studyDisplay(settings, ledger, 2);
 * await work(folder, settings, { objective, workers: 2, onEvent: display.onEvent });
 */
export function studyDisplay(
  { metric }: StudySettings,
  ledger: Ledger,
  workers: number,
  output: ProgressOutput = process.stderr,
): StudyDisplay {
  const lines = liveLines(output);
  const workerTexts = Array.from({ length: workers }, () => '');
  const redraw = () => lines.show(() => [summaryText, ...workerTexts]);
  const started = performance.now();
  const overAtStart = overIn(ledger);
  const notedAt: number[] = [];
  let summedUpAt = started;
  const summary = () => {
    const { trials, goal } = ledger.state();
    const over = overIn(ledger);
    const [best] = rankedTrials(trials, metric);
    const perTrial = (performance.now() - started) / (over - overAtStart);
    const left = over > overAtStart && over < goal ? `, about ${minutes(perTrial * (goal - over))} left` : '';
    const bestText = best ? `; best ${scoreText(best)} in trial ${best.number}` : '';
    return `${countText(trials, goal)}${bestText}${left}`;
  };
  const scoreText = (trial: Trial) => {
    const score = bestScore(trial, metric);
    return `${metric} ${metricText(metric, score === null ? null : direction(metric) * score)}`;
  };
  const show = (worker: number, text: string) => {
    const line = `worker ${worker + 1}: ${text}`;
    workerTexts[worker] = line;
    const now = performance.now();
    if (now - summedUpAt > summaryEvery) {
      summedUpAt = now;
      summaryText = summary();
    }
    redraw();
    if (output.isTTY || now - (notedAt[worker] ?? started) < plainLineEvery) return;
    notedAt[worker] = now;
    lines.note(line);
  };
  const ended = ({ trial = 0, state, reason }: ChildEvent) => {
    const known = ledger.state().trials[trial];
    const result = known && known.history.length > 0 ? ` ${scoreText(known)},` : '';
    const settings = Object.entries(known?.values ?? {}).map(([field, value]) => `${field}=${value}`);
    const why = reason === undefined ? '' : ` (${reason.split('\n')[0]})`;
    summaryText = summary();
    lines.note(
      `trial ${trial} ${state} after epoch ${known?.history.length ?? 0}:${result} ${settings.join(', ')}${why}`,
    );
    if (!output.isTTY) lines.note(summaryText);
  };
  let summaryText = summary();
  redraw();
  return {
    onEvent(event) {
      if (event.type !== 'child') return;
      const { worker = 0, name, state } = event;
      if (state === 'waiting') show(worker, "waiting for other workers' trials");
      else if (state !== 'running') ended(event);
      else show(worker, [name, event.event && workText(event.event)].filter(Boolean).join(', '));
    },
    [Symbol.dispose]: () => lines.end(),
  };
}

function overIn(ledger: Ledger): number {
  return ledger.state().trials.filter(({ status }) => status !== 'running' && status !== 'waiting').length;
}

function minutes(milliseconds: number): string {
  const whole = Math.ceil(milliseconds / 60_000);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}
