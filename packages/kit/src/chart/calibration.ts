import { color } from '../colors.js';
import { percentText } from '../numbers.js';
import { plot } from './plot.js';
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
  // Bins next to 0 and to each other would write over one another.
  let last = -1;
  const isNamed = bins.map(({ meanProbability }) => {
    if (meanProbability < 0.12 || meanProbability - last < 0.16) return false;
    last = meanProbability;
    return true;
  });
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
        const isRight = meanProbability > 0.75;
        const name = isNamed[i]
          ? `<text x="${x}" dx="${isRight ? 0 : 9}" y="${at.y(positive / count) + (isRight ? -10 : 4)}" text-anchor="${isRight ? 'middle' : 'start'}" class="halo">${positive} of ${count}</text>`
          : '';
        return `<line x1="${x}" x2="${x}" y1="${at.y(low)}" y2="${at.y(high)}" style="stroke:${color('ink-3')}"/><circle cx="${x}" cy="${at.y(positive / count)}" r="4" style="fill:${color('ink')}" data-label="${told}"/>${name}`;
      });
      return ideal + marks.join('');
    },
  );
}
