// What Studio knows about the runs: an index in memory. A file is read again if its size or time changed.

import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { RunChanges, RunList, RunRow } from '@anyclass/studio';
import { placeFields } from '../configuration/dottedFields.js';
import { parsedJson } from '../files/wholeFile.js';
import { runPaths } from '../runs/runFolder.js';
import { type EpochField, epochFields, isEpochField } from './epochFields.js';
import { type EventTail, readTail } from './eventTail.js';
import { type FoundRun, findRuns } from './findRuns.js';
import { type Folder, realBelow } from './folders.js';
import { largestFile } from './runFiles.js';
import {
  type EpochPart,
  type OwnRow,
  type RecordPart,
  type ResultPart,
  recordPart,
  resultPart,
  rowOf,
  settingOf,
} from './runRow.js';

export interface RunIndex {
  /** Searches the folders for runs, and reads what changed. */
  search(): Promise<RunChanges>;
  /** Reads what changed in runs that have not ended: cheap enough for twice a second. */
  follow(): RunChanges;
  list(): RunList;
  /** A run by its id; undefined if there is none, or no longer. */
  find(id: string): FoundRun | undefined;
  row(id: string): RunRow | undefined;
}

interface Entry {
  readonly run: FoundRun;
  row: OwnRow;
  record?: Kept<RecordPart | undefined>;
  epochs?: Kept<EpochPart>;
  results?: Kept<ResultPart>;
  events?: Kept<EventTail>;
}

/** What was read of a file, with its size and time. */
interface Kept<Part> {
  readonly stamp: string;
  readonly part: Part;
}

/** Points of a small curve. */
const mostPoints = 60;

/**
 * Creates an index without entries.
 *
 * @example
 * const index = runIndex(openFolders(['runs']));
 * await index.search();
 * index.list().rows.length // 12
 */
export function runIndex(folders: readonly Folder[]): RunIndex {
  const entries = new Map<string, Entry>();
  let differing: readonly string[] = [];
  let problems: readonly string[] = [];

  const whole = ({ row, record }: Entry): RunRow => ({
    ...row,
    settings: Object.fromEntries(
      differing.map((field) => [field, settingOf(record?.part?.fields.get(field))]),
    ),
  });

  /** The changes to tell; of all rows, if other fields differ now. */
  const told = (changed: readonly Entry[], removed: readonly string[]): RunChanges => {
    const now = changed.length + removed.length === 0 ? differing : differingFields([...entries.values()]);
    const isSame = now.join('\n') === differing.join('\n');
    differing = now;
    return { changed: (isSame ? changed : [...entries.values()]).map(whole), removed, differing };
  };

  return {
    async search() {
      const found = await Promise.all(folders.map(findRuns));
      problems = found.flatMap((each) => each.problems);
      const runs = new Map(found.flatMap((each) => each.runs).map((run) => [run.id, run]));
      const removed = [...entries.keys()].filter((id) => !runs.has(id));
      for (const id of removed) entries.delete(id);
      const changed: Entry[] = [];
      for (const run of runs.values()) {
        const entry = entries.get(run.id) ?? newEntry(run);
        const isNew = !entries.has(run.id);
        if (refreshed(entry, folders) || isNew) changed.push(entry);
        // Another program's config.json.
        if (entry.record?.part !== undefined) entries.set(run.id, entry);
      }
      return told(
        changed.filter(({ run }) => entries.has(run.id)),
        removed,
      );
    },
    follow() {
      const open = [...entries.values()].filter(
        ({ row }) => row.state === 'running' || row.state === 'starting',
      );
      return told(
        open.filter((entry) => refreshed(entry, folders)),
        [],
      );
    },
    list: () => ({
      folders: folders.map(({ given, path }) => (/^[./]*$/.test(given) ? basename(path) : given)),
      rows: [...entries.values()].map(whole),
      differing,
      problems,
    }),
    find: (id) => entries.get(id)?.run,
    row(id) {
      const entry = entries.get(id);
      return entry && whole(entry);
    },
  };
}

function newEntry(run: FoundRun): Entry {
  return {
    run,
    row: rowOf(run, { record: undefined, epochs: undefined, results: undefined, progress: undefined }),
  };
}

/** Reads the files that changed; returns whether the row did. */
function refreshed(entry: Entry, folders: readonly Folder[]): boolean {
  const { run } = entry;
  const { config, metrics, summary, events } = runPaths(run.path);
  const read = <Part>(
    path: string,
    kept: Kept<Part> | undefined,
    part: (path: string) => Part,
    largest = largestFile,
  ) => {
    const stamp = stampOf(path, largest);
    if (stamp === undefined) return undefined;
    if (kept?.stamp === stamp) return kept;
    try {
      const real = realBelow(folders, path);
      return real === undefined ? undefined : { stamp, part: part(real) };
    } catch {
      return kept; // It was deleted or is being replaced; the next look tells.
    }
  };
  const set = <Key extends 'record' | 'epochs' | 'results' | 'events'>(
    key: Key,
    kept: Entry[Key] | undefined,
  ) => {
    if (kept === undefined) delete entry[key];
    else entry[key] = kept;
  };
  const before = [entry.record, entry.epochs, entry.results, entry.events];
  set(
    'record',
    read(config, entry.record, (path) => recordPart(parsedJson(readFileSync(path, 'utf8')))),
  );
  const bestBy = entry.record?.part?.bestBy ?? 'mAP';
  set(
    'epochs',
    read(metrics, entry.epochs, (path) => epochPart(path, bestBy)),
  );
  set(
    'results',
    read(summary, entry.results, (path) => resultPart(parsedJson(readFileSync(path, 'utf8')))),
  );
  set(
    'events',
    read(events, entry.events, (path) => readTail(path, entry.events?.part), Number.POSITIVE_INFINITY),
  );
  const isSame = [entry.record, entry.epochs, entry.results, entry.events].every(
    (kept, i) => kept === before[i],
  );
  // A run that ended changes only with its files; of others, the process may be gone.
  if (isSame && entry.row.state === 'finished') return false;
  const row = rowOf(run, {
    record: entry.record?.part,
    epochs: entry.epochs?.part,
    results: entry.results?.part,
    progress: entry.events?.part.progress,
  });
  const isChanged = JSON.stringify(row) !== JSON.stringify(entry.row);
  entry.row = row;
  return isChanged;
}

/** The size and time of a file; undefined if there is none that can be read. */
function stampOf(path: string, largest: number): string | undefined {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= largest ? `${found.size} ${found.mtimeMs}` : undefined;
  } catch {
    return undefined; // A link to itself is no file either.
  }
}

function epochPart(path: string, bestBy: string): EpochPart {
  const by: EpochField = isEpochField(bestBy) ? bestBy : 'mAP';
  const fields = epochFields(path, [...new Set([by, 'mAP', 'macroF1'] as const)]);
  const values = fields.get(by) ?? [];
  const isLower = by === 'loss' || by === 'bce';
  let at = -1;
  values.forEach((value, i) => {
    const best = values[at];
    if (value === null) return;
    if (best === undefined || best === null || (isLower ? value < best : value > best)) at = i;
  });
  const stride = Math.ceil(values.length / mostPoints);
  const curve = values.filter((_, i) => i % stride === 0 || i === values.length - 1);
  return {
    count: values.length,
    curve: curve.map((value) => (value === null ? null : Number(value.toPrecision(5)))),
    best: values[at] ?? null,
    mAP: fields.get('mAP')?.[at] ?? null,
    macroF1: fields.get('macroF1')?.[at] ?? null,
  };
}

/** Names of the fields that differ among the runs and matter to their results; the seed has a column of its own. */
function differingFields(entries: readonly Entry[]): string[] {
  const first = new Map<string, string | undefined>();
  const names = new Set<string>();
  let count = 0;
  for (const { record } of entries) {
    const fields = record?.part?.fields;
    if (!fields) continue;
    for (const [field, value] of fields) {
      if (!first.has(field)) first.set(field, count === 0 ? value : undefined);
      if (first.get(field) !== value) names.add(field);
    }
    if (count > 0)
      for (const field of first.keys())
        if (!fields.has(field) && first.get(field) !== undefined) names.add(field);
    count++;
  }
  names.delete('seed');
  for (const field of placeFields) names.delete(field);
  // How a run is judged matters less than how it was trained.
  const isJudging = (field: string) => Number(field.startsWith('evaluation.'));
  return [...names].sort((a, b) => isJudging(a) - isJudging(b));
}
