// A run as the list shows it, from the files of its folder.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isLocked } from '@anyclass/files';
import type { RunRow, RunState, Setting } from '@anyclass/studio';
import { dottedFields, placeFields } from '../configuration/dottedFields.js';
import { isPlainObject, type PlainObject } from '../configuration/overrides.js';
import { shellLine } from '../errors/shellLine.js';
import { featureNetworks } from '../networks/catalog.js';
import { doingText, notStarted, type RunProgress, secondsLeft } from '../runs/runProgress.js';
import type { FoundRun } from './findRuns.js';

/** What is read of a run's files for the list; each part is read again when its file changes. */
export interface RunParts {
  readonly record: RecordPart | undefined;
  readonly epochs: EpochPart | undefined;
  readonly results: ResultPart | undefined;
  readonly progress: RunProgress | undefined;
}

/** Of config.json. */
export interface RecordPart {
  readonly started: string;
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly seed: number;
  readonly epochs: number;
  readonly bestBy: string;
  /** Fields with their values as JSON. */
  readonly fields: ReadonlyMap<string, string>;
  readonly group: string;
}

/** Of metrics.jsonl. */
export interface EpochPart {
  readonly count: number;
  readonly curve: readonly (number | null)[];
  readonly best: number | null;
  readonly mAP: number | null;
  readonly macroF1: number | null;
}

/** Of summary.json. */
export interface ResultPart {
  readonly decidedF1: number | null;
  readonly decidedFalseAlarms: number | null;
  readonly budget: number | null;
}

/** A row without the fields that depend on the other runs. */
export type OwnRow = Omit<RunRow, 'settings'>;

export function rowOf({ id, path, isArchived }: FoundRun, parts: RunParts): OwnRow {
  const { record, epochs, results, progress = notStarted } = parts;
  const state = stateOf(path, parts);
  const planned = progress.step?.epochs ?? progress.started?.epochs ?? record?.epochs ?? 0;
  const canResume = state === 'failed' || state === 'interrupted' || state === 'lost';
  return {
    id,
    isArchived,
    state,
    started: record?.started ?? '',
    dataset: record?.dataset ?? '',
    network: record?.network ?? '',
    instance: featureNetworks.some((name) => name === record?.network) ? 'row' : 'image',
    loss: record?.loss ?? '',
    seed: record?.seed ?? 0,
    group: record?.group ?? id,
    epoch: epochs?.count ?? 0,
    epochs: planned,
    progress: state === 'finished' ? 1 : shareDone(progress, epochs?.count ?? 0, planned),
    secondsLeft: state === 'running' ? secondsLeft(progress) : null,
    doing: state === 'running' ? doingText(progress) : '',
    message: messageOf(state, progress),
    resume: canResume ? shellLine(['anyclass', 'train', '--resume', path]) : '',
    metric: record?.bestBy ?? 'mAP',
    curve: epochs?.curve ?? [],
    best: epochs?.best ?? null,
    mAP: epochs?.mAP ?? null,
    macroF1: epochs?.macroF1 ?? null,
    decidedF1: results?.decidedF1 ?? null,
    decidedFalseAlarms: results?.decidedFalseAlarms ?? null,
    budget: results?.budget ?? null,
  };
}

function stateOf(path: string, { results, progress }: RunParts): RunState {
  const { state } = progress ?? notStarted;
  if (state !== 'starting' && state !== 'running') return state;
  if (isLocked(join(path, 'lock'))) return state;
  return results ? 'finished' : 'lost';
}

function messageOf(state: RunState, { message = '' }: RunProgress): string {
  if (state === 'failed') return message;
  return state === 'lost' ? 'Its process is gone, and said nothing.' : '';
}

function shareDone({ step }: RunProgress, done: number, planned: number): number {
  if (planned === 0) return 0;
  if (!step) return Math.min(1, done / planned);
  return Math.min(1, (step.epoch - 1 + step.step / Math.max(1, step.steps)) / planned);
}

/** Reads what the list shows of a run's record; undefined for another program's config.json. */
export function recordPart(value: unknown): RecordPart | undefined {
  if (!isPlainObject(value) || !isPlainObject(value['configuration'])) return undefined;
  const { configuration, started } = value;
  const { network, loss, data, evaluation } = configuration;
  // A field that an earlier version did not have is as good as one that is not set.
  const fields = new Map([...dottedFields(configuration)].filter(([, value]) => value !== 'null'));
  const ofSettings = [...fields].filter(([field]) => !placeFields.has(field) && field !== 'seed');
  return {
    started: typeof started === 'string' ? started : '',
    dataset: textOf(data, 'dataset'),
    network: textOf(network, 'name'),
    loss: textOf(loss, 'name'),
    seed: numberOf(configuration, 'seed') ?? 0,
    epochs: numberOf(configuration, 'epochs') ?? 0,
    bestBy: textOf(evaluation, 'bestBy') || textOf(configuration, 'bestBy') || 'mAP',
    fields,
    group: createHash('sha256')
      .update(JSON.stringify(ofSettings.sort(([a], [b]) => (a < b ? -1 : 1))))
      .digest('base64url')
      .slice(0, 16),
  };
}

/** Reads what the list shows of a run's summary: its decision on the rows that it was fitted on. */
export function resultPart(value: unknown): ResultPart {
  const judged = isPlainObject(value) ? (value['test'] ?? value['validation']) : undefined;
  const decided = isPlainObject(judged) ? judged['decided'] : undefined;
  const { validation, report, budget } = isPlainObject(decided) ? decided : {};
  return {
    decidedF1: numberOf(validation, 'macroF1'),
    decidedFalseAlarms: numberOf(validation, 'negativesAlarmed') ?? numberOf(report, 'falseAlarmRate'),
    budget: numberOf(budget, 'falseAlarms'),
  };
}

/** A value of a configuration as the page shows it. */
export function settingOf(json: string | undefined): Setting {
  if (json === undefined) return null;
  const value: unknown = JSON.parse(json);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : json;
}

function textOf(object: unknown, key: string): string {
  const value = isPlainObject(object) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function numberOf(object: unknown, key: string): number | null {
  const value = isPlainObject(object) ? (object as PlainObject)[key] : undefined;
  return typeof value === 'number' ? value : null;
}
