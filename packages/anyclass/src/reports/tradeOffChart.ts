// F1 against false alarms: what each loss achieves at every budget. This is the first chart of a comparison.

import { type Line, lineChart, roundRange } from '@anyclass/kit';
import type { GroupMetrics } from '../experiments/comparisonResult.js';
import type { Spread } from '../experiments/metrics.js';
import type { Chart } from '../pages/blocks.js';

/**
 * Draws the trade-offs of a dataset's groups on the test split; undefined if no group has one. Points are
 * means over seeds; the band is ± one standard deviation, or the range with two seeds. Large dots are the decisions that are
 * compared: they keep their budget on new data, so they alarm less than the budget on test.
 *
 * @example
 * const chart = tradeOffChart('coco-41', comparison.groups);
 * if (chart) writeFileSync('trade-off.svg', chart.svg);
 */
export function tradeOffChart(dataset: string, groups: readonly GroupMetrics[]): Chart | undefined {
  const hasNetworks = new Set(groups.map(({ network }) => network)).size > 1;
  const lines = groups.flatMap(({ shortLabel, network, decided }): Line[] => {
    if (!decided?.tradeOff) return [];
    const points = decided.tradeOff.map(({ falseAlarmRate, macroF1 }) => ({
      x: 100 * falseAlarmRate.mean,
      y: 100 * macroF1.mean,
      ...bandOf(macroF1),
    }));
    const { falseAlarmRate, macroF1 } = decided.test ?? {};
    const chosen = falseAlarmRate && macroF1 && { x: 100 * falseAlarmRate.mean, y: 100 * macroF1.mean };
    return [
      { name: hasNetworks ? `${network}, ${shortLabel}` : shortLabel, points, ...(chosen && { chosen }) },
    ];
  });
  if (lines.length === 0) return undefined;
  const title = `${dataset}: F1 against false alarms on test`;
  const svg = lineChart(lines, {
    label: title,
    x: 'false alarms seen on test, % of negatives',
    y: 'F1, %',
    xRange: [0, shownEnd(lines)],
    yIsPercent: true,
    ends: 'band',
    height: 260,
  });
  return { name: 'trade-off', title, svg };
}

/** The axis ends where the data does. */
function shownEnd(lines: readonly Line[]): number {
  const highest = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)));
  return roundRange([0, Math.max(1, highest)])[1];
}

function bandOf({ mean, standardDeviation, lowest, highest, values }: Spread) {
  if (values.length < 2) return {};
  const deviation = standardDeviation ?? 0;
  const [low, high] = values.length === 2 ? [lowest, highest] : [mean - deviation, mean + deviation];
  return { low: 100 * low, high: 100 * high };
}
