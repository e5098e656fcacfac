// What is to be labeled: the images of a log that the coin drew and that have no label yet.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors/userError.js';
import { classesOf, type LoggedLine, readPredictionLogs } from '../field/predictionLog.js';
import { type LabelTable, openLabelTable } from './labelTable.js';

export interface AuditOptions {
  readonly logs: readonly string[];
  /** The table of labels, if there is one; it need not exist yet. */
  readonly labels?: string | undefined;
  /** The folder in which the server kept the drawn images. */
  readonly images?: string | undefined;
  /** Also list alarms that were not drawn. Default false. */
  readonly alarms?: boolean | undefined;
}

/** An image to label. What the model answered is left out, so that it cannot sway who labels. */
export interface AuditItem {
  readonly id: string;
  readonly time?: string;
  /** The client's name for it. */
  readonly name?: string;
  readonly model?: string;
  readonly version?: string;
  readonly group?: string;
  readonly wasDrawn: boolean;
  readonly isAlarm: boolean;
  /** Its file; undefined if it was not kept. */
  readonly image?: string;
}

export interface AuditList {
  /** All drawn images (and alarms, if asked for), in the order of the log. */
  readonly items: readonly AuditItem[];
  /** The classes of the model that answered last; empty if the log does not name them. */
  readonly classes: readonly string[];
  readonly table: LabelTable;
}

/**
 * Lists what is to be labeled.
 *
 * @example
 * const { items, table } = await auditItems({ logs: ['predictions.jsonl'], labels: 'labels.csv', images: 'audited' });
 * items.filter(({ id }) => table.answerOf(id) === undefined).length // 41 left
 */
export async function auditItems({ logs, labels, images, alarms = false }: AuditOptions): Promise<AuditList> {
  if (images !== undefined && !existsSync(images)) throw new UserError(`${images}: no such folder of images`);
  const items: AuditItem[] = [];
  const seen = new Set<string>();
  let last: LoggedLine | undefined;
  for await (const { logged } of readPredictionLogs(logs)) {
    last = logged;
    if (seen.has(logged.id)) continue;
    seen.add(logged.id);
    if (logged.audit === undefined) continue;
    const isAlarm = logged.outcome === undefined ? logged.isNegative === false : logged.outcome === 'alarm';
    if (!logged.audit.drawn && !(alarms && isAlarm)) continue;
    items.push(itemOf(logged, isAlarm, images));
  }
  if (last === undefined) throw new UserError(`${logs.join(', ')}: no predictions; expected a line for each`);
  if (seen.size > 0 && items.length === 0 && last.audit === undefined)
    throw new UserError(`${logs.join(', ')}: no audits; serve with audit to draw images to label`);
  const classes = classesOf(last);
  return { items, classes, table: await openLabelTable(labels, classes) };
}

function itemOf(
  { id, time, name, model, version, group, sha256, audit }: LoggedLine,
  isAlarm: boolean,
  images: string | undefined,
): AuditItem {
  // The log may come from elsewhere: only a hash becomes a path.
  const isHash = sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256);
  const image = images !== undefined && isHash ? join(images, sha256) : undefined;
  return {
    id,
    ...(time !== undefined && { time }),
    ...(name !== undefined && name !== '' && { name }),
    ...(model !== undefined && { model }),
    ...(version !== undefined && { version }),
    ...(group !== undefined && { group }),
    wasDrawn: audit?.drawn === true,
    isAlarm,
    ...(image !== undefined && existsSync(image) && { image }),
  };
}
