// Whether a promise holds in the field: logs of predictions, with labels of a few of them, judged per model, version and decision.

import {
  createMonitor,
  type MissedMonitoring,
  type Monitor,
  type Monitoring,
  type MonitorOptions,
  type PresenceDrift,
  type PromiseJudgment,
  presenceDrift,
} from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { DataError } from '../errors/dataError.js';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';
import type { AuditLabel } from './auditLabels.js';
import { readAuditLabels } from './auditLabels.js';
import { linesFrom } from './linesFrom.js';
import { firstClasses, type LoggedLine, readPredictionLogs } from './predictionLog.js';
import { createShadowMonitor, type ShadowedMonitoring, type ShadowMonitor } from './shadowMonitor.js';

export interface MonitorLogsOptions extends Omit<MonitorOptions, 'falseAlarms' | 'missed'> {
  readonly logs: readonly string[];
  /** A table of labels by id. */
  readonly labels: string;
  /** The promised share. Default: the one that the log's decisions were fitted for. */
  readonly falseAlarms?: number | undefined;
  /** The promised share of positives that are cleared. Default: the one of the log's decisions, if they have one; null judges none. */
  readonly missed?: number | null | undefined;
  /** Leaves out the lines before this one, by its place in all logs from 1, or before this time. */
  readonly from?: number | Date | undefined;
  /** Presence scores of validation, to see whether those of the log drift away from them. */
  readonly reference?: Float64Array | undefined;
}

/** What the lines of one model, version and decision say. */
export interface MonitoredStream extends Monitoring {
  readonly missed?: MissedStream;
  /** True if the decision limits the cleared positives of whole groups, which is not judged: a group is cleared only if all its images are. */
  readonly missedUnjudged?: true;
  /** Undefined if the log does not name them. */
  readonly model?: string;
  readonly version?: string;
  readonly decision?: string;
  readonly falseAlarms: number;
  /** `group` if the decision promised something about whole groups, of which one image each is judged here. */
  readonly per?: 'group';
  /** True if lines name their groups, of which one image each counts. */
  readonly hasGroups?: true;
  /** False if the decision's limit was only kept on the data of its fit, and nothing was promised about new data. */
  readonly promised?: false;
  /** A hint, never an alert: a change of prevalence moves presence scores too. Omitted without reference scores. */
  readonly drift?: PresenceDrift;
  /** What a second model answered to the same images, if one ran in the shadow of this one. */
  readonly shadow?: ShadowedMonitoring;
}

/** What they say about the limit on positives that are cleared. */
export interface MissedStream extends MissedMonitoring {
  /** False if that limit was only kept on the data of the decision's fit. */
  readonly promised?: false;
}

/** The stream that answered last, and those before it, oldest first. */
export interface MonitoredLogs extends MonitoredStream {
  readonly earlier: readonly MonitoredStream[];
}

/**
 * Judges a promise by logs and labels. A new model version or a new decision starts anew, so the result is about the one that
 * answered last; `earlier` has the others.
 *
 * @example
 * const { verdict, rate } = await monitorLogs({ logs: ['predictions.jsonl'], labels: 'labels.csv', falseAlarms: 0.05 });
 */
export async function monitorLogs({
  logs,
  labels: table,
  falseAlarms,
  missed,
  from,
  reference,
  ...options
}: MonitorLogsOptions): Promise<MonitoredLogs> {
  const labels = await readAuditLabels(table, await firstClasses(logs));
  const known = new Map([...labels].map(([id, { isNegative }]) => [id, isNegative]));
  const streams = new Map<string, Stream>();
  const lines = linesFrom(from);
  let last: Stream | undefined;
  for await (const placed of readPredictionLogs(logs)) {
    if (lines.leavesOut(placed)) continue;
    const { logged, file, line } = placed;
    const key = JSON.stringify([logged.model, logged.version, logged.decision?.id]);
    const stream = streams.get(key) ?? openStream(logged, known, { ...options, falseAlarms, missed });
    streams.set(key, stream);
    last = stream;
    // Of lines with one id, the first counts, whichever model answered.
    if (
      streams.size > 1 &&
      [...streams.values()].some((other) => other !== stream && other.monitor.hasLine(logged.id))
    )
      continue;
    stream.places.push(lines.count);
    if (reference && logged.s !== undefined) stream.scores.push(logged.s);
    if (logged.isNegative === undefined && logged.outcome === undefined) {
      throw new DataError(
        `${file}, line ${line}: ${logged.id} has neither isNegative nor outcome; one of them says whether it is an alarm`,
      );
    }
    stream.hasGroups ||= logged.group !== undefined;
    stream.monitor.add(logged);
    stream.shadow.add(logged);
  }
  if (last === undefined) {
    const { count } = lines;
    const since = count === 0 ? '' : ` from there on; ${counted(count, 'line')} before it`;
    throw new DataError(`${logs.join(', ')}: no predictions${since || '; expected a line for each'}`, {
      ...(count > 0 && { setting: 'from' }),
    });
  }
  refuseUnknown(labels, (id) => lines.hasLeftOut(id) || hasLine(streams, id), table);
  const current = resultOf(last, reference);
  const earlier = [...streams.values()]
    .filter((stream) => stream !== last)
    .map((stream) => resultOf(stream, reference));
  return { ...current, earlier };
}

interface Stream {
  readonly of: Pick<
    MonitoredStream,
    'model' | 'version' | 'decision' | 'falseAlarms' | 'per' | 'promised' | 'missedUnjudged'
  >;
  readonly isMissedPromised: boolean;
  readonly monitor: Monitor;
  readonly shadow: ShadowMonitor;
  hasGroups: boolean;
  readonly scores: number[];
  /** The place in all logs of each of its lines. */
  readonly places: number[];
}

function openStream(
  { model, version, decision }: LoggedLine,
  labels: ReadonlyMap<string, boolean>,
  options: Omit<MonitorLogsOptions, 'logs' | 'labels' | 'reference'>,
): Stream {
  const falseAlarms = options.falseAlarms ?? decision?.falseAlarms;
  if (falseAlarms === undefined) {
    throw new UserError('the log does not say which false-alarm rate was promised; name it', {
      setting: 'falseAlarms',
    });
  }
  const missed = options.missed === undefined ? missedOf(decision) : (options.missed ?? undefined);
  checkLimit('falseAlarms', falseAlarms);
  checkLimit('missed', missed);
  const { negativesAtLeast } = options;
  if (negativesAtLeast === 0) {
    throw new UserError('negativesAtLeast is 0; expected a share above 0', { setting: 'negativesAtLeast' });
  }
  return {
    isMissedPromised: options.missed !== undefined || decision?.missedPromised !== false,
    of: {
      falseAlarms,
      ...(model !== undefined && { model }),
      ...(version !== undefined && { version }),
      ...(decision && { decision: decision.id }),
      ...(decision?.per && { per: decision.per }),
      ...(options.missed === undefined &&
        decision?.per === 'group' &&
        decision.missed !== undefined && { missedUnjudged: true as const }),
      ...(options.falseAlarms === undefined && decision?.promised === false && { promised: false }),
    },
    monitor: createMonitor(labels, { ...options, falseAlarms, missed }),
    shadow: createShadowMonitor(labels, { ...options, falseAlarms, missed: undefined }),
    hasGroups: false,
    scores: [],
    places: [],
  };
}

/** Refuses a limit of 0, also that of a log: no number of labels can confirm it. */
function checkLimit(setting: 'falseAlarms' | 'missed', limit: number | undefined): void {
  if (limit === undefined || (limit > 0 && limit < 1)) return;
  throw new UserError(`${setting} is ${limit}; expected a number between 0 and 1`, { setting });
}

/** The limit on cleared positives that single images can be judged by. */
function missedOf(decision: LoggedLine['decision']): number | undefined {
  const { missed = 0, per } = decision ?? {};
  return per !== 'group' && missed > 0 && missed < 1 ? missed : undefined;
}

function resultOf(
  { of, isMissedPromised, monitor, shadow, hasGroups, scores, places }: Stream,
  reference: Float64Array | undefined,
): MonitoredStream {
  const { missed, ...result } = monitor.result();
  const shadowed = shadow.result();
  const placed = <T extends { readonly line: number }>(point: T): T => ({
    ...point,
    line: places[point.line - 1] ?? point.line,
  });
  const inAllLogs = <T extends PromiseJudgment>(judged: T) => {
    const { alert, change, path } = judged;
    return {
      ...judged,
      recent: judged.recent.map(placed),
      alert: alert && placed(alert),
      change: { ...change, alert: change.alert && placed(change.alert) },
      path: path.map(placed),
    };
  };
  return {
    ...of,
    ...(hasGroups && { hasGroups }),
    ...inAllLogs(result),
    ...(missed && { missed: { ...inAllLogs(missed), ...(!isMissedPromised && { promised: false }) } }),
    ...(reference && { drift: presenceDrift(reference, Float64Array.from(scores)) }),
    ...(shadowed && { shadow: shadowed }),
  };
}

function hasLine(streams: ReadonlyMap<string, Stream>, id: string): boolean {
  return [...streams.values()].some(({ monitor }) => monitor.hasLine(id));
}

function refuseUnknown(
  labels: ReadonlyMap<string, AuditLabel>,
  isKnown: (id: string) => boolean,
  table: string,
): void {
  const unknown = [...labels].filter(([id]) => !isKnown(id));
  const [first] = unknown;
  if (!first) return;
  const others = unknown.slice(1).map(([id]) => id);
  const rest =
    others.length === 0 ? '' : ` (and ${others.length.toLocaleString('en-US')} more: ${listed(others)})`;
  throw new DataError(
    `${table}, line ${first[1].line}: ${first[0]} is in no log${rest}; name all logs that the labels belong to`,
  );
}
