// Scores: metrics with their sign chosen so that higher is better.

import type { BestMetric } from '../events/bestMetric.js';
import { isLowerBetter } from '../training/progress.js';
import type { Trial } from './events.js';

/** -1 if lower values of the metric are better, otherwise 1. */
export function direction(metric: BestMetric): 1 | -1 {
  return isLowerBetter(metric) ? -1 : 1;
}

/**
 * Formats a value of the metric: shares in percent, as everywhere else, and losses as they are.
 *
 * @example
 * metricText('mAP', 0.34212) // '34.21'
 * metricText('bce', 0.34212) // '0.3421'
 */
export function metricText(metric: BestMetric, value: number | null): string {
  if (value === null) return '–';
  return isLowerBetter(metric) ? value.toFixed(4) : (100 * value).toFixed(2);
}

/**
 * The best score of a trial up to an epoch; null if the metric has been undefined so far.
 *
 * @example
 * bestScore({ history: [0.4, 0.6, 0.5] }, 'mAP', 1) // 0.4
 * bestScore({ history: [0.4, 0.6, 0.5] }, 'bce') // -0.4
 */
export function bestScore(
  { history }: Pick<Trial, 'history'>,
  metric: BestMetric,
  upTo = history.length,
): number | null {
  const scores = history
    .slice(0, upTo)
    .flatMap((value) => (value === null ? [] : [direction(metric) * value]));
  return scores.length === 0 ? null : Math.max(...scores);
}

/**
 * The trials with a score, the best first; those that finished come before all others.
 *
 * @example
 * rankedTrials(state.trials, 'mAP')[0] // the best trial
 */
export function rankedTrials(trials: readonly Trial[], metric: BestMetric): Trial[] {
  return trials
    .flatMap((trial) => {
      const score = bestScore(trial, metric);
      return score === null || trial.status === 'failed' ? [] : [{ trial, score }];
    })
    .sort(
      (a, b) =>
        Number(b.trial.status === 'finished') - Number(a.trial.status === 'finished') || b.score - a.score,
    )
    .map(({ trial }) => trial);
}
