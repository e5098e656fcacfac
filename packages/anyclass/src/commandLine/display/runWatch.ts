// What a run is doing, from the events that it logs: for someone who looks from another terminal.

import type { EpochRecord } from '../../events/epochRecord.js';
import type { LoggedEvent } from '../../runs/eventLog.js';
import { afterEvent, doingText, notStarted, type RunProgress, secondsLeft } from '../../runs/runProgress.js';
import { duration } from './progressBar.js';

/** How a run stands. */
export interface WatchedRun {
  /** Lost: by its events it is at work, but its process is gone. */
  readonly state: RunProgress['state'] | 'lost';
  /** Lines for a terminal. */
  readonly lines: readonly string[];
  /** Time left for the whole run, with validation and judging; null if unknown. */
  readonly secondsLeft: number | null;
  /** Why it failed. */
  readonly message?: string;
}

/**
 * Returns how a run stands: what it does now, the time left for all of it, and small curves.
 *
 * @example
 * watchedRun(readEvents('runs/sewer/events.jsonl'), isLocked('runs/sewer/lock')).lines
 */
export function watchedRun(logged: readonly LoggedEvent[], hasProcess: boolean): WatchedRun {
  const progress = logged.reduce(afterEvent, notStarted);
  const records = new Map<number, EpochRecord>();
  for (const event of logged) if (event.type === 'validated') records.set(event.record.epoch, event.record);
  const epochs = [...records.values()].sort((a, b) => a.epoch - b.epoch);
  const { started, message } = progress;
  const isLost = !hasProcess && (progress.state === 'starting' || progress.state === 'running');
  const state = isLost ? 'lost' : progress.state;
  const left = isLost ? null : secondsLeft(progress);
  const about = started
    ? `${started.dataset}, ${started.network}, ${started.loss}, ${started.device}`
    : 'no start is logged yet';
  const doing = doingText(progress);
  const now = state === 'running' ? (doing === '' ? [] : [doing]) : [state];
  return {
    state,
    secondsLeft: left,
    lines: [about, ...now, ...leftLines(left), ...curveLines(epochs)],
    ...(message !== undefined && { message }),
  };
}

function leftLines(seconds: number | null): string[] {
  return seconds === null
    ? []
    : [`about ${duration(seconds)} left for the whole run, with validation and judging`];
}

function curveLines(epochs: readonly EpochRecord[]): string[] {
  if (epochs.length === 0) return [];
  const percent = (value: number | null) => (value === null ? null : 100 * value);
  return [
    curveLine(
      'loss',
      epochs.map(({ trainingLoss }) => trainingLoss),
      4,
    ),
    curveLine(
      'mAP',
      epochs.map(({ validation }) => percent(validation.mAP)),
      2,
    ),
    curveLine(
      'F1',
      epochs.map(({ validation }) => percent(validation.macroF1)),
      2,
    ),
  ];
}

const bars = '▁▂▃▄▅▆▇█';
const mostBars = 40;

/**
 * A curve of one line: its last values as bars, then the last number.
 *
 * @example
 * curveLine('mAP', [10, 20, 30], 1) // 'mAP   ▁▅█ 30.0'
 */
export function curveLine(name: string, values: readonly (number | null)[], digits: number): string {
  const shown = values.slice(-mostBars);
  const known = shown.filter((value) => value !== null);
  if (known.length === 0) return `${name.padEnd(5)} –`;
  const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
  const bar = (value: number) =>
    bars[high === low ? 0 : Math.round(((value - low) / (high - low)) * (bars.length - 1))]!;
  return `${name.padEnd(5)} ${shown.map((value) => (value === null ? ' ' : bar(value))).join('')} ${known.at(-1)!.toFixed(digits)}`;
}
