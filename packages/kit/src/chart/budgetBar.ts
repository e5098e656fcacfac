import { color } from '../colors.js';
import { percentText, shortPercent } from '../numbers.js';
import { plot } from './plot.js';
import { roundTicks } from './ticks.js';

export interface BudgetBarOptions {
  /** What was promised, as a share. */
  readonly budget: number;
  /** What was seen, and its interval. */
  readonly seen: number;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
}

/**
 * Draws the false alarms that were seen (filled) beside those that were promised (the rule).
 *
 * @example
 * budgetBar({ budget: 0.05, seen: 0.025, interval: { low: 0.01, high: 0.042 } })
 */
export function budgetBar({ budget, seen, interval }: BudgetBarOptions): string {
  const end = 1.25 * Math.max(budget, seen, interval?.high ?? 0);
  return plot(
    {
      label: `False alarms seen: ${percentText(seen)}% against the budget of ${shortPercent(budget)}`,
      height: 16,
      x: { range: [0, end], ticks: [] },
      y: { range: [0, 1], ticks: [] },
      margins: { left: 2, right: 30, top: 22, bottom: 22 },
    },
    (at) => {
      const whisker = (width: number, stroke: string) =>
        interval
          ? `<line x1="${at.x(interval.low)}" x2="${at.x(interval.high)}" y1="8" y2="8" style="stroke:${stroke}" stroke-width="${width}"/>`
          : '';
      const texts = roundTicks(0, end, 5, { text: (share) => String(Number((100 * share).toFixed(2))) }).map(
        ({ at: value, text }) =>
          `<text x="${at.x(value)}" y="31" text-anchor="${value === 0 ? 'start' : 'middle'}">${text}${value === 0 ? '%' : ''}</text>`,
      );
      return `<rect x="0" y="2" width="${at.x(budget)}" height="12" style="fill:${color('clear-soft')}"/><rect x="0" y="2" width="${at.x(seen)}" height="12" style="fill:${color('false-alarm')}"/>${whisker(4, color('page'))}${whisker(1.5, color('ink'))}<line x1="${at.x(budget)}" x2="${at.x(budget)}" y1="-4" y2="18" style="stroke:${color('accent')}" stroke-width="2"/><text x="${at.x(budget)}" dx="-1" y="-7" class="strong" style="fill:${color('accent')}">${shortPercent(budget)} budget</text>${texts.join('')}`;
    },
  );
}
