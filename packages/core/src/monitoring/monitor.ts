import { AuditCollector, type AuditEvent } from './auditEvents.js';
import { Bet, FRACTIONS, type Observation } from './bets.js';
import type { AuditLabels, LogLine } from './logLine.js';
import { outlookOf } from './outlook.js';
import { RateBound, shareUpperBound } from './rateBounds.js';

export interface MonitorOptions {
  /** The promised share of negatives that alarm. */
  readonly falseAlarms: number;
  /** Every statement is wrong with a probability of at most 1 - confidence, however often one looks. Default 0.95. */
  readonly confidence?: number;
  /** The bounds of the rate are multiples of this. Default 0.001. */
  readonly resolution?: number;
  /** A share that negatives are known to have at least; then the share of alarms bounds the rate without any label. */
  readonly negativesAtLeast?: number;
  /** How many audits there are on average between false alerts of a change. Default 10,000. */
  readonly auditsBetweenChanges?: number;
}

/** A line of the log. */
export interface LinePlace {
  readonly line: number;
  readonly id: string;
}

/** What a log and its labels say about a promise. */
export interface Monitoring {
  /** `broken`: the rate is above the promised one. `holds`: it is below. Each is wrong with a probability of at most 1 - confidence. */
  readonly verdict: 'holds' | 'broken' | 'undecided';
  /** The capital that was bet against the promise: starts at 1, and stays below `threshold` with the confidence while it holds. */
  readonly capital: number;
  /** The capital that was bet against the promise being broken. */
  readonly certificate: number;
  readonly threshold: number;
  /** The first line at which the capital reached the threshold. */
  readonly alert: LinePlace | null;
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
  /** The range of the rate; both ends hold at all times. Low above high means that the rate changed. */
  readonly rate: { readonly low: number; readonly high: number };
  /** A single estimate of the rate; null before any negative was found. */
  readonly estimate: number | null;
  /** The share of alarms; next, the bound on the rate that follows from it without labels, null unless `negativesAtLeast` is given. */
  readonly alarmShare: number;
  readonly freeBound: number | null;
  /** A change after a long quiet time: the sum of capitals started after each audit (Shiryaev and Roberts). */
  readonly change: {
    readonly statistic: number;
    readonly threshold: number;
    readonly alert: LinePlace | null;
  };
  /** About how many more audits a verdict takes, if things go on as they are; 0 with a verdict, null if that cannot be told. */
  readonly auditsToDecide: number | null;
  /** Capital, certificate and the range of the rate over time, at up to 1,000 lines. */
  readonly path: readonly MonitorPoint[];
}

/** Where a log stood after a line. */
export interface MonitorPoint {
  readonly line: number;
  readonly capital: number;
  readonly certificate: number;
  readonly low: number;
  readonly high: number;
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
  const { falseAlarms, confidence = 0.95, resolution = 0.001, negativesAtLeast } = options;
  const { auditsBetweenChanges = 10_000 } = options;
  const within = (name: string, value: number) => {
    if (value > 0 && value < 1) return;
    throw new RangeError(`${name} is ${value}; expected a number between 0 and 1`);
  };
  within('falseAlarms', falseAlarms);
  within('confidence', confidence);
  within('resolution', resolution);
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
    threshold,
    steps: Math.round(1 / resolution),
    negativesAtLeast,
    auditsBetweenChanges,
  };
}

const MOST_POINTS = 1000;

function judge(collector: AuditCollector, settings: Settings): Monitoring {
  const { falseAlarms, threshold, steps, negativesAtLeast, auditsBetweenChanges } = settings;
  const accusing = new Bet('at most', falseAlarms);
  const certifying = new Bet('at least', falseAlarms);
  const [low, high] = [
    new RateBound('at most', steps, threshold),
    new RateBound('at least', steps, threshold),
  ];
  const changes = changeDetector(accusing, auditsBetweenChanges);
  const events = collector.events();
  const stride = Math.ceil(events.length / MOST_POINTS);
  const path: MonitorPoint[] = [];
  let alert: LinePlace | null = null;
  events.forEach((event, k) => {
    const [accusation, certification] = observationsOf(event);
    if (accusation) {
      accusing.add(accusation, event.q);
      low.add(accusation, event.q);
    }
    if (certification) {
      certifying.add(certification, event.q);
      high.add(certification, event.q);
    }
    changes.add(event, accusation);
    const capital = accusing.capital;
    const { line, id } = event;
    if (alert === null && capital >= threshold) alert = { line, id };
    if ((k + 1) % stride === 0 || k === events.length - 1) {
      path.push({ line, capital, certificate: certifying.capital, low: low.value, high: high.value });
    }
  });
  const rate = { low: low.value, high: high.value };
  const verdict = rate.low > falseAlarms ? 'broken' : rate.high < falseAlarms ? 'holds' : 'undecided';
  const { images, alarms } = collector;
  const labeled = events.filter(({ isNegative }) => isNegative !== undefined).length;
  const positives = events.filter(({ wasDrawn, isNegative }) => wasDrawn && isNegative === false);
  return {
    verdict,
    capital: accusing.capital,
    certificate: certifying.capital,
    threshold,
    alert,
    images,
    audited: labeled,
    unlabeled: events.length - labeled,
    drawnNegatives: events.filter(({ wasDrawn, isNegative }) => wasDrawn && isNegative === true).length,
    drawnPositives: positives.length,
    missedShare:
      positives.length === 0 ? null : positives.filter(({ isAlarm }) => !isAlarm).length / positives.length,
    rate,
    ...outlookOf({ events, images, verdict, accusing, certifying, threshold }),
    alarmShare: images === 0 ? 0 : alarms / images,
    freeBound:
      negativesAtLeast === undefined
        ? null
        : Math.min(1, shareUpperBound(alarms, images - alarms, threshold) / negativesAtLeast),
    change: changes.result(),
    path,
  };
}

/**
 * What an event says against the promise, and what it says for it. A missing label counts against the claim: an unlabeled
 * alarm accuses nobody, but is a false alarm for the certificate; an unlabeled drawn image is negative for the accusation,
 * and nothing for the certificate.
 */
function observationsOf({
  isAlarm,
  isNegative,
}: AuditEvent): [accusation: Observation | undefined, certification: Observation | undefined] {
  if (isNegative === false) return [undefined, undefined];
  if (isAlarm) return [isNegative ? 'false alarm' : undefined, 'false alarm'];
  return ['quiet negative', isNegative ? 'quiet negative' : undefined];
}

/** Sums the capitals that start before each audit; while the promise holds, the sum grows by at most 1 an audit. */
function changeDetector(bet: Bet, threshold: number) {
  const sums = new Float64Array(FRACTIONS.length);
  let statistic = 0;
  let alert: LinePlace | null = null;
  return {
    add({ line, id, q }: AuditEvent, observation: Observation | undefined): void {
      const factors = observation && bet.gainsOf(q)[observation].factors;
      statistic = 0;
      for (let k = 0; k < sums.length; k++) {
        sums[k] = (sums[k]! + 1) * (factors ? factors[k]! : 1);
        statistic += sums[k]! / sums.length;
      }
      if (alert === null && statistic >= threshold) alert = { line, id };
    },
    result: () => ({ statistic: Math.min(statistic, Number.MAX_VALUE), threshold, alert }),
  };
}
