import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { percentText, shortPercent } from '../numbers.js';
import { type Box, boxesAlong, firstFree, narrowest } from './labels.js';
import { rule } from './lineChart.js';
import { type Places, plot, textWidth } from './plot.js';
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
  const axisText = (share: number) => String(Number((100 * share).toFixed(1)));
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
        name: 'promised false-alarm budget',
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
      const words = {
        found: `${percentText(last.found, 0)}% of ${positives} found`,
        f1: `F1 ${percentText(last.f1)}, mean over classes`,
      };
      const places = textHeights(steps, last, words, { at, end, height, isRight });
      const text = (name: keyof typeof words, fill: string) =>
        `<text x="${at.x(last.budget)}" dx="${isRight ? -10 : 10}" y="${places[name]}" text-anchor="${isRight ? 'end' : 'start'}" class="strong halo" style="fill:${fill}">${escaped(words[name])}</text>`;
      const dot = (value: number) =>
        `<circle class="chosen" cx="${at.x(last.budget)}" cy="${at.y(value)}" r="6"/>`;
      return [
        zone,
        area,
        found,
        f1,
        // Above the lines, one of which may pass its text.
        chosen ? rule(at, { at: chosen.budget, text: `chosen: ${shortPercent(chosen.budget)}` }, height) : '',
        ...(chosen ? [dot(chosen.found), dot(chosen.f1)] : []),
        text('found', color('found-ink')),
        text('f1', color('ink')),
      ].join('');
    },
  );
}

/** Where the names of the lines stand: as near as possible to their dots, on no line, on no other text. */
function textHeights(
  steps: readonly TradeOffStep[],
  last: TradeOffStep,
  words: { readonly found: string; readonly f1: string },
  { at, end, height, isRight }: { at: Places; end: number; height: number; isRight: boolean },
): { found: number; f1: number } {
  const x = (budget: number) => (narrowest * budget) / end;
  const lines = (['found', 'f1'] as const).flatMap((name) =>
    boxesAlong(steps.map((step) => [x(step.budget), at.y(step[name])] as const)),
  );
  // What is chosen is written at the top.
  const taken: Box[] = [{ left: x(last.budget), right: x(last.budget) + 90, top: -4, bottom: 14 }];
  const heights = Array.from({ length: Math.floor((height - 14) / 2) }, (_, i) => 12 + 2 * i);
  const place = (name: 'found' | 'f1') => {
    const own = at.y(last[name]) + 4;
    const width = 1.08 * textWidth(words[name]);
    const left = x(last.budget) + (isRight ? -10 - width : 10);
    const nearest = heights.toSorted((a, b) => Math.abs(a - own) - Math.abs(b - own));
    const boxes = nearest.map((y) => ({ left, right: left + width, top: y - 11, bottom: y + 3 }));
    const free = firstFree(boxes, [...taken, ...lines]);
    // Where no room is left beside the lines, it may cross one, but no text.
    const index = Math.max(0, free >= 0 ? free : firstFree(boxes, taken));
    taken.push(boxes[index]!);
    return nearest[index]!;
  };
  return { found: place('found'), f1: place('f1') };
}
