/** A place on an axis and its text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/**
 * Returns round values within a range, at most `most` of them.
 *
 * @example
 * roundTicks(0, 1, 5).map(({ text }) => text) // ['0', '0.2', '0.4', '0.6', '0.8', '1']
 */
export function roundTicks(
  from: number,
  to: number,
  most = 6,
  { isWhole = false, text = String }: { isWhole?: boolean; text?: (value: number) => string } = {},
): Tick[] {
  if (!(to > from)) return [{ at: from, text: text(rounded(from)) }];
  const step = stepOf(to - from, most, isWhole);
  const ticks: Tick[] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) {
    const at = rounded(k * step);
    ticks.push({ at, text: text(at) });
  }
  return ticks;
}

/**
 * Returns a range that contains the values and ends at round ones. Its least width keeps differences that mean nothing from
 * filling a chart.
 *
 * @example
 * roundRange([41.2, 58.9], { within: [0, 100] }) // [40, 60]
 */
export function roundRange(
  values: readonly number[],
  { within, least = 0 }: { within?: readonly [number, number]; least?: number } = {},
): [number, number] {
  if (values.length === 0) return within ? [within[0], within[1]] : [0, 1];
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  const missing = Math.max(0, least - (highest - lowest)) / 2;
  const [from, to] = [lowest - missing, highest + missing];
  const step = stepOf(to - from || Math.abs(to) || 1, 5, false);
  const [low, high] = [
    rounded(step * Math.floor(from / step + 1e-9)),
    rounded(step * Math.ceil(to / step - 1e-9)),
  ];
  const ends: [number, number] = low === high ? [low - step, high + step] : [low, high];
  return within ? [Math.max(within[0], ends[0]), Math.min(within[1], ends[1])] : ends;
}

function stepOf(width: number, most: number, isWhole: boolean): number {
  const rough = width / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}

/** Without the noise of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
