import { AuditCollector, type AuditEvent } from './auditEvents.js';
import { judgePromise, type PromiseJudgment } from './judgePromise.js';
import type { AuditLabels, LogLine } from './logLine.js';
import { falseAlarmEvents, missedEvents } from './promiseEvents.js';
import { shareUpperBound } from './rateBounds.js';

export interface MonitorOptions {
  /** The promised share of negatives that alarm. */
  readonly falseAlarms: number;
  /** The promised share of positives that are cleared, if there is such a promise. */
  readonly missed?: number | undefined;
  /** Every statement is wrong with a probability of at most 1 - confidence, however often one looks. Default 0.95. */
  readonly confidence?: number;
  /** The bounds of the rate are multiples of this. Default 0.001, or a tenth of a limit below 1%: bounds as coarse as a limit could never certify it. */
  readonly resolution?: number;
  /** A share that negatives are known to have at least; then the share of alarms bounds the rate without any label. */
  readonly negativesAtLeast?: number;
  /** How many audits there are on average between false alerts of a change. Default 10,000. */
  readonly auditsBetweenChanges?: number;
}

/** What a log and its labels say about the promise on false alarms, and on missed positives where that is promised, too. */
export interface Monitoring extends PromiseJudgment {
  /** Lines that count; next, those with a label. */
  readonly images: number;
  readonly audited: number;
  /**
   * Alarms and drawn images that have no label yet. Nothing waits for them: they count for the promise where it is accused,
   * and against it where it is certified.
   */
  readonly unlabeled: number;
  /** Drawn images that are labeled negative: a random sample, on which a refit would rest. */
  readonly drawnNegatives: number;
  /** Drawn images that are labeled positive, and the share of them that did not alarm; null without any. */
  readonly drawnPositives: number;
  readonly missedShare: number | null;
  /** The share of alarms; next, the bound on the rate that follows from it without labels, null unless `negativesAtLeast` is given. */
  readonly alarmShare: number;
  readonly freeBound: number | null;
  /** Whether at most the promised share of positives is cleared; omitted without such a promise. */
  readonly missed?: MissedMonitoring;
}

/** What the drawn images say about the promise that at most a share of positives is cleared. */
export interface MissedMonitoring extends PromiseJudgment {
  /** The promised share. */
  readonly limit: number;
  /** Drawn positives that were cleared, of `drawnPositives`; next, drawn images without a label. */
  readonly cleared: number;
  readonly unlabeled: number;
}

/**
 * Says whether a promised false-alarm rate holds in the field, from a log of predictions and labels of a few of them.
 * Start anew for every decision and every version of a model.
 *
 * Labels may come late or never: a later call with more labels recomputes the past. Lines count in the order of the log.
 *
 * @param labels true for an image that is negative, false for a positive one; leave out undecided ones
 *
 * @example
 * const log = [
 *   { id: 'a', isNegative: false, audit: { q: 0.1, drawn: false } }, // an alarm
 *   { id: 'b', isNegative: true, audit: { q: 0.1, drawn: true } }, // no alarm, but drawn to be labeled
 *   { id: 'c', isNegative: true, audit: { q: 0.1, drawn: false } },
 * ];
 * const { verdict, capital } = monitor(log, new Map([['a', true], ['b', true]]), { falseAlarms: 0.05 });
 * // undecided, 1.029…
 */
export function monitor(log: Iterable<LogLine>, labels: AuditLabels, options: MonitorOptions): Monitoring {
  const stream = createMonitor(labels, options);
  for (const line of log) stream.add(line);
  return stream.result();
}

/** A monitor that takes lines one by one. */
export interface Monitor {
  /** Adds the next line. Throws a RangeError that names it if it cannot be used. */
  add(line: LogLine): void;
  /** Whether a line with this id was added; a label of an id that was not is a mistake. */
  hasLine(id: string): boolean;
  result(): Monitoring;
}

/**
 * Does the same for lines that arrive one by one, such as those of large files. It keeps the ids, the alarms and the drawn
 * images, and one line of each group.
 *
 * @example
 * const stream = createMonitor(labels, { falseAlarms: 0.05 });
 * for await (const line of lines) stream.add(JSON.parse(line));
 * stream.result().verdict
 */
export function createMonitor(labels: AuditLabels, options: MonitorOptions): Monitor {
  const settings = checkOptions(options);
  const collector = new AuditCollector(labels);
  return {
    add: (line) => collector.add(line),
    hasLine: (id) => collector.hasLine(id),
    result: () => judge(collector, settings),
  };
}

type Settings = ReturnType<typeof checkOptions>;

function checkOptions(options: MonitorOptions) {
  const { falseAlarms, missed, confidence = 0.95, resolution, negativesAtLeast } = options;
  const { auditsBetweenChanges = 10_000 } = options;
  const within = (name: string, value: number) => {
    if (value > 0 && value < 1) return;
    throw new RangeError(`${name} is ${value}; expected a number between 0 and 1`);
  };
  within('falseAlarms', falseAlarms);
  if (missed !== undefined) within('missed', missed);
  within('confidence', confidence);
  if (resolution !== undefined) within('resolution', resolution);
  if (negativesAtLeast !== undefined && !(negativesAtLeast > 0 && negativesAtLeast <= 1)) {
    throw new RangeError(`negativesAtLeast is ${negativesAtLeast}; expected a share above 0`);
  }
  if (!(auditsBetweenChanges > 1)) {
    throw new RangeError(`auditsBetweenChanges is ${auditsBetweenChanges}; expected a number above 1`);
  }
  // 1 - 0.95 is a little more than 0.05; the threshold is 20.
  const threshold = Number((1 / (1 - confidence)).toPrecision(12));
  return {
    falseAlarms,
    missed,
    threshold,
    stepsFor: (limit: number) => Math.round(1 / (resolution ?? Math.min(0.001, limit / 10))),
    negativesAtLeast,
    auditsBetweenChanges,
  };
}

function judge(collector: AuditCollector, settings: Settings): Monitoring {
  const { falseAlarms, missed, threshold, negativesAtLeast } = settings;
  const events = collector.events();
  const { images, alarms } = collector;
  const labeled = events.filter(({ isNegative }) => isNegative !== undefined).length;
  const positives = events.filter(({ wasDrawn, isNegative }) => wasDrawn && isNegative === false);
  return {
    ...judgePromise(falseAlarmEvents(events), {
      ...settings,
      limit: falseAlarms,
      steps: settings.stepsFor(falseAlarms),
      images,
    }),
    images,
    audited: labeled,
    unlabeled: events.length - labeled,
    drawnNegatives: events.filter(({ wasDrawn, isNegative }) => wasDrawn && isNegative === true).length,
    drawnPositives: positives.length,
    missedShare:
      positives.length === 0 ? null : positives.filter(({ isAlarm }) => !isAlarm).length / positives.length,
    alarmShare: images === 0 ? 0 : alarms / images,
    freeBound:
      negativesAtLeast === undefined
        ? null
        : Math.min(1, shareUpperBound(alarms, images - alarms, threshold) / negativesAtLeast),
    ...(missed !== undefined && { missed: judgeMissed(events, missed, settings) }),
  };
}

function judgeMissed(events: readonly AuditEvent[], limit: number, settings: Settings): MissedMonitoring {
  const drawn = missedEvents(events);
  return {
    limit,
    ...judgePromise(drawn, { ...settings, limit, steps: settings.stepsFor(limit), images: drawn.length }),
    cleared: drawn.filter(({ isConcerned, isAgainst }) => isConcerned && isAgainst).length,
    unlabeled: drawn.filter(({ isConcerned }) => isConcerned === undefined).length,
  };
}
