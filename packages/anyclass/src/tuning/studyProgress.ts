// The live view of a study: a line for the whole, and one for each worker of this process.

import { liveLines } from '../commandLine/liveLines.js';
import type { ProgressOutput } from '../commandLine/progressBar.js';
import type { Trial } from './events.js';
import type { Ledger } from './ledger.js';
import { bestScore, direction, rankedTrials } from './score.js';
import type { StudySettings } from './study.js';
import { countText } from './studyResult.js';
import type { WorkOptions } from './work.js';

export interface StudyProgress extends Disposable {
  readonly show: NonNullable<WorkOptions['onProgress']>;
  readonly ended: NonNullable<WorkOptions['onEnd']>;
}

/** Milliseconds between lines of a worker where they cannot change in place. */
const plainLineEvery = 30_000;
const summaryEvery = 1000;

/**
 * Shows how the work on a study goes, until it is disposed of.
 *
 * @example
 * using progress = studyProgress(settings, ledger, 2);
 * await work(folder, settings, { objective, workers: 2, onProgress: progress.show, onEnd: progress.ended });
 */
export function studyProgress(
  { metric }: StudySettings,
  ledger: Ledger,
  workers: number,
  output: ProgressOutput = process.stderr,
): StudyProgress {
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
    return `${metric} ${score === null ? '–' : (direction(metric) * score).toFixed(4)}`;
  };
  let summaryText = summary();
  redraw();
  return {
    show(worker, claim, text) {
      const trial = claim === undefined ? '' : `trial ${claim.trial}, `;
      const line = `worker ${worker + 1}: ${trial}${text}`;
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
    },
    ended({ trial, values }, outcome, reason) {
      const known = ledger.state().trials[trial];
      const result = known && known.history.length > 0 ? ` ${scoreText(known)},` : '';
      const settings = Object.entries(values).map(([field, value]) => `${field}=${value}`);
      const why = reason === undefined ? '' : ` (${reason.split('\n')[0]})`;
      summaryText = summary();
      lines.note(
        `trial ${trial} ${outcome} after epoch ${known?.history.length ?? 0}:${result} ${settings.join(', ')}${why}`,
      );
      if (!output.isTTY) lines.note(summaryText);
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
