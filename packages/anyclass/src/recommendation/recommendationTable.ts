// All losses that were tried as a table, the last round first.

import { counted } from '../errors/counted.js';
import { decisionPhrase } from '../experiments/decisionText.js';
import type { Cell, Table } from '../tables/index.js';
import type { JudgedCandidate } from './judgedRound.js';
import { metricName, type Recommendation, type RoundResult } from './recommendation.js';

/**
 * Has a row for each loss, from the last round that included it.
 *
 * @example
 * textTable(recommendationTable(recommendation))
 */
export function recommendationTable(recommendation: Recommendation): Table {
  const { decision, rounds, label } = recommendation;
  const metric = metricName(decision);
  const last = rounds.at(-1)!;
  const shown = new Set<string>();
  const rows = rounds
    .map((round, i) => ({ round, number: i + 1 }))
    .reverse()
    .flatMap(({ round, number }) =>
      round.losses
        .filter(({ candidate }) => !shown.has(candidate.label))
        .map((judged): Cell[] => {
          const { candidate } = judged;
          shown.add(candidate.label);
          const roles = { recommended: label, isConfigured: candidate.role === 'configured' };
          return [candidate.label, number, ...judgedCells(judged, roles)];
        }),
    );
  return {
    title: `Pilots, ${decisionPhrase(decision)}`,
    note: `Percent, on validation; ${metric} and false alarms cross-fitted. ${rounds.map(roundText).join('; ')}. Differences from the best loss of the same round, with ${Math.round(100 * last.confidence)}% intervals of a paired bootstrap over the validation instances (${last.replicates.toLocaleString('en-US')} replicates), widened for the number of losses; within noise: the interval contains 0, or seeds disagree.`,
    columns: [{ title: 'loss', kind: 'text' }, { title: 'round', kind: 'count' }, ...judgedColumns(metric)],
    rows,
  };
}

/**
 * Has a row for each input size and augmentation that was tried before the losses; undefined if there was none.
 *
 * @example
 * const table = setupTable(recommendation);
 * if (table) textTable(table)
 */
export function setupTable({ setup, decision }: Recommendation): Table | undefined {
  if (!setup) return undefined;
  const { round, label, tried } = setup;
  const metric = metricName(decision);
  return {
    title: `Input and augmentation, ${decisionPhrase(decision)}`,
    note: `Percent, on validation, with the configured loss; ${counted(round.instances, 'instance')} × ${counted(round.epochs, 'epoch')}. Differences from the best, as below.`,
    columns: [{ title: 'setup', kind: 'text' }, ...judgedColumns(metric)],
    rows: round.losses.map((judged): Cell[] => {
      const { candidate } = judged;
      const roles = { recommended: label, isConfigured: candidate.label === tried[0] };
      return [candidate.label, ...judgedCells(judged, roles)];
    }),
  };
}

/** What both tables say about a candidate. */
function judgedColumns(metric: string): Table['columns'] {
  return [
    { title: metric, kind: 'percent' },
    { title: 'false alarms', kind: 'percent' },
    { title: 'mAP', kind: 'percent' },
    { title: 'vs. best', kind: 'difference' },
    { title: '', kind: 'text' },
  ];
}

function judgedCells(
  { candidate, f1, falseAlarmRate, mAP, difference, isWithinNoise }: JudgedCandidate,
  { recommended, isConfigured }: { readonly recommended: string; readonly isConfigured: boolean },
): Cell[] {
  return [
    f1,
    falseAlarmRate,
    mAP,
    difference && {
      value: difference.value,
      interval: { low: difference.low, high: difference.high },
      emphasis: isWithinNoise ? 'faint' : 'strong',
    },
    [
      ...(candidate.label === recommended ? ['recommended'] : []),
      ...(isConfigured ? ['configured'] : []),
      isWithinNoise ? (difference === null ? 'best' : 'within noise') : 'lower',
    ].join(', '),
  ];
}

function roundText({ losses, seeds, instances, epochs }: RoundResult, i: number): string {
  return `Round ${i + 1}: ${counted(losses.length, 'loss')} × ${counted(seeds.length, 'seed')}, ${counted(instances, 'instance')} × ${counted(epochs, 'epoch')}`;
}
