// A small curve without axes.

import type { RunState } from '../wire/runs.js';

const [width, height, edge] = [66, 28, 3];

const tones: Readonly<Record<RunState, string>> = {
  starting: 'var(--accent)',
  running: 'var(--accent)',
  finished: 'var(--ink-2)',
  failed: 'var(--missed)',
  interrupted: 'var(--ink-3)',
  lost: 'var(--missed)',
};

export interface SparkProps {
  readonly values: readonly (number | null)[];
  readonly state: RunState;
  /** The share of the epochs that are done: the curve takes as much of the width. */
  readonly done: number;
}

export function Spark({ values, state, done }: SparkProps) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const across = (width - 2 * edge) * Math.max(0.05, Math.min(1, done));
  const x = (i: number) => edge + (values.length === 1 ? across : (i / (values.length - 1)) * across);
  const y = (value: number) =>
    height - edge - (high === low ? 0.5 : (value - low) / (high - low)) * (height - 2 * edge);
  const points = values.flatMap((value, i) =>
    value === null ? [] : [`${x(i).toFixed(1)},${y(value).toFixed(1)}`],
  );
  const [lastX, lastY] = points.at(-1)!.split(',');
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline points={points.join(' ')} fill="none" stroke={tones[state]} stroke-width="1.5" />
      <circle cx={lastX} cy={lastY} r="2" fill={tones[state]} />
    </svg>
  );
}
