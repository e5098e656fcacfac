import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { percentText, shortPercent } from '../numbers.js';
import { spreadLabels } from './labels.js';
import { rule } from './lineChart.js';
import { plot } from './plot.js';
import { roundRange, roundTicks } from './ticks.js';

/** What a decision within a budget achieves; shares from 0 to 1. */
export interface TradeOffStep {
  /** The promised budget. */
  readonly budget: number;
  /** Share of positives with an alarm. */
  readonly found: number;
  readonly f1: number;
  /** Interval of F1. */
  readonly low?: number;
  readonly high?: number;
}

export interface TradeOffOptions {
  readonly steps: readonly TradeOffStep[];
  readonly chosen?: TradeOffStep | undefined;
  /** Below this, no budget can be promised. */
  readonly leastPromised?: number | undefined;
  /** What positives are called, such as 'positives'. */
  readonly positives: string;
  readonly height?: number;
}

/**
 * Draws what each promised budget of false alarms buys: positives found, and F1. The gray zone is what cannot be promised.
 *
 * @example
 * tradeOff({ steps: [{ budget: 0.05, found: 0.79, f1: 0.71 }], positives: 'positives' })
 */
export function tradeOff({
  steps,
  chosen,
  leastPromised = 0,
  positives,
  height = 250,
}: TradeOffOptions): string {
  const end = Math.max(0.02, ...steps.map(({ budget }) => budget));
  const values = steps.flatMap(({ found, f1, low, high }) => [found, f1, low ?? f1, high ?? f1]);
  const [low, high] = roundRange(values, { within: [0, 1], least: 0.1 });
  const axisText = (share: number) => percentText(share, 0);
  const told = chosen
    ? `; chosen: ${shortPercent(chosen.budget)}, ${percentText(chosen.found)}% of ${positives} found, F1 ${percentText(chosen.f1)}`
    : '';
  return plot(
    {
      label: `Share of ${positives} found and F1 against the false-alarm budget${told}`,
      height,
      x: {
        range: [0, end],
        ticks: roundTicks(0, end, 5, { text: shortPercent }),
        name: 'false-alarm budget',
      },
      y: { range: [low, high], ticks: roundTicks(low, high, 6, { text: axisText }), name: '%' },
    },
    (at) => {
      const zone =
        leastPromised > 0
          ? `<rect x="0" y="0" width="${at.x(Math.min(end, leastPromised))}" height="${height}" style="fill:${color('clear-soft')}"/>`
          : '';
      const band = steps.filter((step) => step.low !== undefined && step.high !== undefined);
      const area = at.area(
        [
          ...band.map((step) => [step.budget, step.high ?? 0] as const),
          ...band.toReversed().map((step) => [step.budget, step.low ?? 0] as const),
        ],
        `class="band" style="fill:${color('ink')}"`,
      );
      const found = at.line(
        steps.map((step) => [step.budget, step.found]),
        `style="stroke:${color('found')}"`,
      );
      const f1 = at.line(
        steps.map((step) => [step.budget, step.f1]),
        `style="stroke:${color('ink')}"`,
      );
      const last = chosen ?? steps.at(-1);
      if (!last) return zone;
      const isRight = last.budget > 0.5 * end;
      const [foundAt, f1At] = [at.y(last.found), at.y(last.f1)];
      const isFoundAbove = foundAt <= f1At;
      // Above the upper line and below the lower one, so that no text covers a line; below a line that rises beside it.
      const isRising = foundAt - at.y(steps.at(-1)?.found ?? last.found) > 8 && f1At - foundAt > 46;
      const [foundText = 0, f1Text = 0] = spreadLabels(
        [
          {
            text: 'found',
            y: isFoundAbove && !isRising ? Math.max(24, foundAt - 10) : foundAt + 20,
          },
          { text: 'f1', y: f1At + (isFoundAbove ? 20 : -10) },
        ],
        height - 4,
        16,
      );
      const text = (y: number, fill: string, words: string) =>
        `<text x="${at.x(last.budget)}" dx="${isRight ? -10 : 10}" y="${y}" text-anchor="${isRight ? 'end' : 'start'}" class="strong halo" style="fill:${fill}">${escaped(words)}</text>`;
      const dot = (value: number) =>
        `<circle class="chosen" cx="${at.x(last.budget)}" cy="${at.y(value)}" r="6"/>`;
      return [
        zone,
        area,
        chosen ? rule(at, { at: chosen.budget, text: `chosen: ${shortPercent(chosen.budget)}` }, height) : '',
        found,
        f1,
        ...(chosen ? [dot(chosen.found), dot(chosen.f1)] : []),
        text(foundText, color('found-ink'), `${percentText(last.found, 0)}% of ${positives} found`),
        text(f1Text, color('ink'), `F1 ${percentText(last.f1)}, mean over classes`),
      ].join('');
    },
  );
}
