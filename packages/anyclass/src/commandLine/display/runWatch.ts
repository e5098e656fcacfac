// What a run is doing, from the events that it logs: for someone who looks from another terminal.

import type { EpochRecord } from '../../events/epochRecord.js';
import type { RunEvent } from '../../events/runEvent.js';
import { duration } from './progressBar.js';

/** An event with its time. */
export type TimedEvent = RunEvent & { readonly time: string };

/** How a run stands. */
export interface WatchedRun {
  readonly state: 'starting' | 'running' | 'finished' | 'failed' | 'interrupted';
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
 * watchedRun(readEvents('runs/sewer/events.jsonl')).lines
 */
export function watchedRun(logged: readonly TimedEvent[]): WatchedRun {
  // A resumed run appends; curves go on, but speed and state are those of the last start.
  const start = logged.findLastIndex(({ type }) => type === 'started');
  const events = logged.slice(Math.max(0, start));
  const started = events.find((event) => event.type === 'started');
  const last = events.findLast(
    ({ type }) => type === 'finished' || type === 'failed' || type === 'interrupted',
  );
  const records = new Map<number, EpochRecord>();
  for (const event of logged) if (event.type === 'validated') records.set(event.record.epoch, event.record);
  const epochs = [...records.values()].sort((a, b) => a.epoch - b.epoch);
  const state = last ? ended(last.type) : events.some(({ type }) => type === 'step') ? 'running' : 'starting';
  const left = state === 'running' ? secondsLeft(events) : null;
  const about = started
    ? `${started.dataset}, ${started.network}, ${started.loss}, ${started.device}`
    : 'no start is logged yet';
  return {
    state,
    secondsLeft: left,
    lines: [about, ...nowLines(events, state), ...leftLines(left), ...curveLines(epochs)],
    ...(last?.type === 'failed' && { message: last.message }),
  };
}

function ended(type: string): WatchedRun['state'] {
  return type === 'finished' ? 'finished' : type === 'failed' ? 'failed' : 'interrupted';
}

function nowLines(events: readonly TimedEvent[], state: WatchedRun['state']): string[] {
  if (state !== 'running') return [state];
  const event = events.findLast(({ type }) => type === 'step' || type === 'progress' || type === 'validated');
  if (event?.type === 'progress')
    return [
      `${event.task}, ${event.done.toLocaleString('en-US')} of ${event.total.toLocaleString('en-US')} ${event.unit}`,
    ];
  const step = events.findLast((each) => each.type === 'step');
  if (!step) return [];
  const { epoch, epochs, images, imagesPerEpoch, unit, loss, imagesPerSecond } = step;
  return [
    [
      `epoch ${epoch} of ${epochs}`,
      `${images.toLocaleString('en-US')} of ${imagesPerEpoch.toLocaleString('en-US')} ${unit}`,
      ...(loss === null ? [] : [`loss ${loss.toFixed(4)}`]),
      ...(imagesPerSecond === null ? [] : [`${imagesPerSecond.toFixed(0)} ${unit} a second`]),
    ].join(', '),
  ];
}

/**
 * The time left for training, for the validations that remain, and for judging at the end, which scores validation and test
 * again and is taken to cost two validations.
 */
function secondsLeft(events: readonly TimedEvent[]): number | null {
  const step = events.findLast((event) => event.type === 'step');
  if (!step || step.secondsLeft === null) return null;
  const validation = validationSeconds(events);
  const isValidated = events.some((event) => event.type === 'validated' && event.record.epoch === step.epoch);
  const validations = step.epochs - step.epoch + (isValidated ? 0 : 1);
  return step.secondsLeft + (validations + 2) * (validation ?? 0);
}

/** The mean time from the start of a validation to its result; undefined before the first. */
function validationSeconds(events: readonly TimedEvent[]): number | undefined {
  let since: number | undefined;
  const spans: number[] = [];
  for (const event of events) {
    if (event.type === 'progress' && event.task === 'validation' && event.done === 0)
      since = Date.parse(event.time);
    if (event.type !== 'validated' || since === undefined) continue;
    spans.push((Date.parse(event.time) - since) / 1000);
    since = undefined;
  }
  return spans.length === 0 ? undefined : spans.reduce((sum, span) => sum + span, 0) / spans.length;
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
