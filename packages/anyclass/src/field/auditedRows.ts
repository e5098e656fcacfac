// Audited lines of a log as rows to fit a decision on. Only lines whose coin was drawn count: they are a random sample, alarms
// and others alike. Further alarms that people labeled would bias the gate.

import type { Scored } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { type AuditLabel, readAuditLabels } from './auditLabels.js';
import { linesFrom } from './linesFrom.js';
import { type LoggedLine, readPredictionLogs } from './predictionLog.js';
import type { RowsToFit } from './rowsToFit.js';

/** What a model version answered. */
interface Answered {
  readonly lines: AuditedLine[];
  /** How many images of each group it saw, drawn or not. */
  readonly seenOf: Map<string, number>;
}

interface AuditedLine {
  readonly logged: LoggedLine;
  readonly label: AuditLabel;
  readonly probabilities: Float64Array;
}

/**
 * Reads the drawn and labeled lines of logs, of the model version that answered last; with `from`, of the lines from this one on,
 * by its place in all logs from 1, or from this time on.
 *
 * @example
 * const rows = await auditedRows(['predictions.jsonl'], 'labels.csv', description);
 */
export async function auditedRows(
  logs: readonly string[],
  table: string,
  { classes, decision }: ModelDescription,
  from?: number | Date,
): Promise<RowsToFit> {
  const labels = await readAuditLabels(table, classes);
  // Several models may answer in turn; the rows are those of the one that answered last.
  const byVersion = new Map<string, Answered>();
  let last: Answered = { lines: [], seenOf: new Map() };
  let undrawn = 0;
  const seen = new Set<string>();
  const lines = linesFrom(from);
  const groupsBefore = new Set<string>();
  for await (const placed of readPredictionLogs(logs)) {
    const { logged, file, line } = placed;
    if (lines.leavesOut(placed)) {
      if (logged.group !== undefined) groupsBefore.add(logged.group);
      continue;
    }
    const of = JSON.stringify([logged.model, logged.version]);
    last = byVersion.get(of) ?? { lines: [], seenOf: new Map() };
    byVersion.set(of, last);
    if (seen.has(logged.id)) continue;
    seen.add(logged.id);
    const { group } = logged;
    if (group !== undefined) last.seenOf.set(group, (last.seenOf.get(group) ?? 0) + 1);
    const label = labels.get(logged.id);
    if (!label) continue;
    if (logged.audit?.drawn !== true) undrawn++;
    else
      last.lines.push({
        logged,
        label,
        probabilities: probabilitiesOf(logged, classes, `${file}, line ${line}`),
      });
  }
  const { lines: audited } = last;
  if (audited.length === 0) {
    const since = lines.before === 0 ? '' : ` from there on; ${counted(lines.before, 'line')} left out`;
    throw new UserError(`${table}: labels no image of ${logs.join(', ')} that was drawn${since}`, {
      ...(lines.before > 0 && { setting: 'from' }),
    });
  }
  const others =
    Array.from(byVersion.values(), (each) => each.lines.length).reduce((sum, each) => sum + each, 0) -
    audited.length;
  const hasClasses = audited.every(({ label }) => label.isNegative || label.classes !== undefined);
  return {
    name: 'audits',
    names: audited.map(({ logged }) => logged.id),
    scored: scoredLines(audited, classes, hasClasses, decision?.presenceFrom === 'given' || !hasClasses),
    hasClasses,
    isNegative: audited.map(({ label }) => label.isNegative),
    partialGroups: partialGroups(last, groupsBefore),
    remarks: [
      ...(undrawn > 0
        ? [`${counted(undrawn, 'labeled image')} left out: only images that the coin drew are a fair sample`]
        : []),
      ...(lines.before > 0
        ? [`${counted(lines.before, 'line')} before the first one that counts left out`]
        : []),
      ...(others > 0 ? [`${counted(others, 'audit')} of other models and versions left out`] : []),
    ],
  };
}

function scoredLines(
  lines: readonly AuditedLine[],
  classes: readonly string[],
  hasClasses: boolean,
  hasPresence: boolean,
): Scored {
  const groups = groupsOf(lines);
  return {
    scores: Float64Array.from(lines.flatMap(({ probabilities }) => [...probabilities])),
    targets: hasClasses ? lines.flatMap(({ label }) => targetsOf(label, classes)) : [],
    classNames: classes,
    split: 'audits',
    ...(groups && { groups }),
    ...(hasPresence && { presence: Float64Array.from(lines, ({ logged }) => logged.s ?? Number.NaN) }),
  };
}

function targetsOf({ isNegative, classes }: AuditLabel, names: readonly string[]): number[] {
  return names.map((name) => {
    if (isNegative) return 0;
    const value = classes?.get(name);
    return value === undefined ? Number.NaN : Number(value);
  });
}

/** How many groups have other images than these rows, also before the first line that counts. */
function partialGroups({ lines, seenOf }: Answered, before: ReadonlySet<string>): number {
  const left = new Map(seenOf);
  for (const { logged } of lines) {
    if (logged.group !== undefined) left.set(logged.group, (left.get(logged.group) ?? 0) - 1);
  }
  return new Set(
    lines.flatMap(({ logged: { group } }) =>
      group !== undefined && (left.get(group) || before.has(group)) ? [group] : [],
    ),
  ).size;
}

function groupsOf(lines: readonly AuditedLine[]): string[] | undefined {
  const groups = lines.flatMap(({ logged }) => (logged.group === undefined ? [] : [logged.group]));
  if (groups.length === 0) return undefined;
  if (groups.length === lines.length) return groups;
  throw new DataError(
    `${lines.length - groups.length} of ${lines.length} audited lines have no group, but others do; log the group of every image, or of none`,
  );
}

function probabilitiesOf(
  { probabilities, s, id }: LoggedLine,
  classes: readonly string[],
  place: string,
): Float64Array {
  if (s === undefined || typeof probabilities !== 'object' || probabilities === null) {
    throw new DataError(`${place} (${id}): no s and probabilities; a refit needs the scores of the model`);
  }
  return Float64Array.from(classes, (name) => {
    const value: unknown = Reflect.get(probabilities, name);
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    throw new DataError(`${place} (${id}): no probability of '${name}'; was it logged by another model?`);
  });
}
