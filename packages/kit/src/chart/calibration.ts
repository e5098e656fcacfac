import { color } from '../colors.js';
import { percentText } from '../numbers.js';
import { type Box, firstFree, narrowest } from './labels.js';
import { plot, textWidth } from './plot.js';
import { roundTicks } from './ticks.js';

/** Images with nearly the same probability. */
export interface CalibrationBin {
  readonly count: number;
  /** How many of them are truly positive. */
  readonly positive: number;
  readonly meanProbability: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Draws how often what the model says is true, in bins of equal counts, with the counts written and no line through gaps.
 *
 * @example
 * calibrationChart('presence', [{ count: 45, positive: 27, meanProbability: 0.3, low: 0.45, high: 0.73 }])
 */
export function calibrationChart(what: string, bins: readonly CalibrationBin[], height = 190): string {
  const text = (share: number) => percentText(share, 0);
  const axis = { range: [0, 1], ticks: roundTicks(0, 1, 4, { text }) } as const;
  const places = namePlaces(bins, height);
  return plot(
    {
      label: `Calibration of ${what}: ${bins.map(({ positive, count, meanProbability }) => `${positive} of ${count} at ${text(meanProbability)}%`).join(', ')}`,
      height,
      x: { ...axis, name: `${what}, %` },
      y: { ...axis, name: 'truly positive, %' },
      margins: { right: 34 },
    },
    (at) => {
      const ideal = `<line x1="0" x2="100%" y1="${at.y(0)}" y2="${at.y(1)}" style="stroke:${color('rule-strong')}"/>`;
      const marks = bins.map(({ meanProbability, positive, count, low, high }, i) => {
        const x = at.x(meanProbability);
        const told = `${positive} of ${count} positive at ${text(meanProbability)}%`;
        const place = places[i];
        const name = place
          ? `<text x="${x}" dx="${place.dx}" y="${at.y(positive / count) + place.dy}" text-anchor="${place.anchor}" class="halo">${positive} of ${count}</text>`
          : '';
        return `<line x1="${x}" x2="${x}" y1="${at.y(low)}" y2="${at.y(high)}" style="stroke:${color('ink-3')}"/><circle cx="${x}" cy="${at.y(positive / count)}" r="4" style="fill:${color('ink')}" data-label="${told}"/>${name}`;
      });
      return ideal + marks.join('');
    },
  );
}

/** Beside its dot, or above it; `reach` is the text's left end, in widths of the text. */
const sides = [
  { anchor: 'start', dx: 9, dy: 4, reach: 0 },
  { anchor: 'end', dx: -9, dy: 4, reach: -1 },
  { anchor: 'middle', dx: 0, dy: -10, reach: -0.5 },
] as const;

/** Where the counts stand: where they cover no whisker and no other count; undefined where there is no room. */
function namePlaces(bins: readonly CalibrationBin[], height: number): ((typeof sides)[number] | undefined)[] {
  const marks = bins.map(
    ({ meanProbability, low, high }): Box => ({
      left: narrowest * meanProbability - 5,
      right: narrowest * meanProbability + 5,
      top: height * (1 - high) - 5,
      bottom: height * (1 - low) + 5,
    }),
  );
  const texts: Box[] = [];
  return bins.map(({ meanProbability, positive, count }, i) => {
    const width = textWidth(`${positive} of ${count}`);
    const boxes = sides.map(({ dx, dy, reach }) => {
      const left = narrowest * meanProbability + dx + reach * width;
      const y = height * (1 - positive / count) + dy;
      return { left, right: left + width, top: y - 11, bottom: y + 3 };
    });
    const outside = [
      { left: -1000, right: 0, top: -1000, bottom: 2000 },
      { left: narrowest + 30, right: 2000, top: -1000, bottom: 2000 },
      { left: -1000, right: 2000, top: height, bottom: 2000 },
    ];
    const place = firstFree(boxes, [...outside, ...texts, ...marks.filter((_, k) => k !== i)]);
    if (place >= 0) texts.push(boxes[place]!);
    return sides[place];
  });
}
