// What a study found, as an object and as text.

import { join } from 'node:path';
import { counted } from '../errors/counted.js';
import { alignedColumns } from '../tables/index.js';
import type { StudyState, Trial } from './events.js';
import { fieldImportance } from './importance.js';
import type { Values } from './sampler.js';
import { bestScore, direction, metricText, rankedTrials } from './score.js';
import type { StudySettings } from './study.js';

export interface TrialResult {
  readonly trial: number;
  readonly status: Trial['status'];
  readonly epochs: number;
  /** The best value over all epochs; null if there is none. */
  readonly value: number | null;
  readonly values: Values;
  /** The run folder. */
  readonly run: string;
  readonly reason?: string;
}

export interface StudyResult {
  readonly study: string;
  readonly metric: StudySettings['metric'];
  readonly goal: number;
  /** The best trial first; those without a value last. */
  readonly trials: readonly TrialResult[];
  readonly best: TrialResult | null;
  /** Rank correlation with the metric, by field: positive if large values go with a better metric. */
  readonly importance: Readonly<Record<string, number | null>>;
}

/**
 * Returns what a study has found so far.
 *
 * @example
 * studyResult('studies/sewer', settings, openLedger('studies/sewer', settings).state()).best?.values
 */
export function studyResult(
  study: string,
  { metric, search }: StudySettings,
  { trials, goal }: StudyState,
): StudyResult {
  const ranked = rankedTrials(trials, metric);
  const others = trials.filter((trial) => !ranked.includes(trial));
  const results = [...ranked, ...others].map((trial): TrialResult => {
    const score = bestScore(trial, metric);
    const { number, status, history, values, folder, reason } = trial;
    return {
      trial: number,
      status,
      epochs: history.length,
      value: score === null ? null : direction(metric) * score,
      values,
      run: join(study, folder),
      ...(reason !== undefined && { reason }),
    };
  });
  const fields = Object.keys(search);
  return {
    study,
    metric,
    goal,
    trials: results,
    best: ranked.length > 0 ? (results[0] ?? null) : null,
    importance: Object.fromEntries(fields.map((field) => [field, fieldImportance(trials, field, metric)])),
  };
}

const shownTrials = 10;

/**
 * Text: a verdict, a table of the best trials, each field's correlation with the metric, failures, best run.
 */
export function studyText({ study, metric, trials, goal, best, importance }: StudyResult): string {
  const fields = Object.keys(importance);
  const rows = trials
    .slice(0, shownTrials)
    .map(({ trial, status, epochs, value, values }) => [
      String(trial),
      metricText(metric, value),
      status,
      String(epochs),
      ...fields.map((field) => String(values[field])),
    ]);
  const failed = trials.filter(({ reason }) => reason !== undefined);
  return [
    best
      ? `Trial ${best.trial} is the best: validation ${metric} ${metricText(metric, best.value)} after ${counted(best.epochs, 'epoch')}.`
      : 'No trial has a result yet.',
    `${study}: ${countText(trials, goal)}${trials.length > shownTrials ? `; the best ${shownTrials}` : ''}`,
    alignedColumns([
      ['trial', metric, 'status', 'epochs', ...fields],
      ...rows,
      ['ρ', '', '', '', ...fields.map((field) => importance[field]?.toFixed(2) ?? '–')],
    ]),
    'ρ: rank correlation of a field with a better metric, over all trials; a field with ρ near 0 has little effect',
    ...(failed.length > 0
      ? [failed.map(({ trial, reason }) => `trial ${trial} failed: ${reason?.split('\n')[0]}`).join('\n')]
      : []),
    ...(best ? [`best run     ${best.run}`] : []),
  ].join('\n\n');
}

/**
 * @example
 * countText(trials, 30) // '12 of 30 trials: 4 finished, 6 stopped, 2 running'
 */
export function countText(trials: readonly Pick<Trial, 'status'>[], goal: number): string {
  const counts = new Map<string, number>();
  for (const { status } of trials) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = ['finished', 'stopped', 'failed', 'running', 'waiting'].flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [`${count} ${status}`];
  });
  return `${trials.length} of ${goal} trials${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}
