// Where labels are saved: files of their own, never the user's table. A file is whole or as it was, and two tabs, two servers or two
// people never lose each other's labels.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileProblem, withSharedLock } from '@anyclass/files';
import type { Labels, SavedLabels, SaveRequest } from '@anyclass/studio';
import { type AuditAnswer, openLabelTable } from '../audits/labelTable.js';
import { readCsv } from '../data/tables/csv.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { writeWhole } from '../files/wholeFile.js';
import { csvCell } from '../runs/scoreFiles.js';

/** A file of labels. */
export interface LabelStore {
  readonly file: string;
  read(): Promise<SavedLabels[]>;
  /** Replaces what is saved, given all of it and what is new. */
  write(all: readonly SavedLabels[], changed: readonly Pick<SaveRequest, 'name' | 'labels'>[]): Promise<void>;
}

/**
 * Saves the labels of images, unless someone else changed them meanwhile: all of them, or none.
 *
 * @returns what is saved now
 * @throws UserError with the name of who changed them, or if the file cannot be written
 *
 * @example
 * await saveLabels(store, [{ name: '7.png', labels: { crack: 1 }, author: 'ada', replaces: null }])
 */
export async function saveLabels(
  store: LabelStore,
  requests: readonly SaveRequest[],
  now = new Date(),
): Promise<SavedLabels[]> {
  try {
    mkdirSync(dirname(store.file), { recursive: true });
    return await withSharedLock(`${store.file}.lock`, async () => {
      const all = new Map((await store.read()).map((each) => [each.name, each]));
      for (const { name, labels, author, replaces } of requests) {
        const before = all.get(name);
        if (!isSame(before?.labels ?? null, replaces))
          throw new UserError(
            `${name} was labeled meanwhile${before?.author ? ` by ${before.author}` : ''}; reload to see it`,
          );
        all.delete(name);
        if (labels !== null) all.set(name, { name, labels, author, time: now.toISOString() });
      }
      await store.write([...all.values()], requests);
      return [...all.values()];
    });
  } catch (error) {
    if (error instanceof UserError || error instanceof DataError) throw error;
    throw new UserError(`${store.file} cannot be written: ${fileProblem(error)}`, { cause: error });
  }
}

function isSame(first: Labels | null, second: Labels | null): boolean {
  if (first === null || second === null) return first === second;
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].every((name) => (first[name] ?? null) === (second[name] ?? null));
}

const header = ['image', 'class', 'label', 'author', 'time'];

/**
 * Corrections of a dataset, as `data.corrections` takes them: a row per label, with who said so and when.
 *
 * @param others a file of corrections that the data is read with already; its labels are kept
 */
export function correctionStore(file: string, others?: string): LabelStore {
  const source = () => (existsSync(file) ? file : others);
  return {
    file,
    async read() {
      const path = source();
      return path === undefined || !existsSync(path) ? [] : readCorrections(path);
    },
    async write(all) {
      const rows = all.flatMap(({ name, labels, author, time }) =>
        Object.entries(labels).map(([className, label]) =>
          [name, className, label === null ? '' : String(label), author, time].map(csvCell).join(','),
        ),
      );
      writeWhole(file, `${[header.join(','), ...rows].join('\n')}\n`);
    },
  };
}

async function readCorrections(path: string): Promise<SavedLabels[]> {
  const byName = new Map<string, { labels: Record<string, 0 | 1 | null>; author: string; time: string }>();
  await readCsv(
    path,
    (columns) => {
      const at = (column: string) => columns.indexOf(column);
      const image = columns.findIndex((column) => /^(image|filename|file_name)$/i.test(column));
      if (image < 0 || at('class') < 0 || at('label') < 0)
        throw new DataError(`${path}: expected the columns ${header.join(', ')}`);
      return (cells) => {
        const name = cells[image]!;
        const entry = byName.get(name) ?? { labels: {}, author: '', time: '' };
        const text = cells[at('label')]!.trim();
        entry.labels[cells[at('class')]!] = text === '' || text === '-1' ? null : Number(text) >= 0.5 ? 1 : 0;
        entry.author = cells[at('author')] ?? entry.author;
        entry.time = cells[at('time')] ?? entry.time;
        byName.set(name, entry);
      };
    },
    path,
  );
  return Array.from(byName, ([name, entry]) => ({ name, ...entry }));
}

/** Labels of a queue's images, as a table to train on: a row per image. */
export function tableStore(file: string, classes: readonly string[]): LabelStore {
  return {
    file,
    async read() {
      const saved: SavedLabels[] = [];
      if (!existsSync(file)) return saved;
      await readCsv(
        file,
        (columns) => (cells) => {
          const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
          const labels = Object.fromEntries(
            classes.map((name) => [name, cell(name) === '' ? null : cell(name) === '1' ? 1 : 0] as const),
          );
          saved.push({ name: cell('Filename'), labels, author: '', time: '' });
        },
        file,
      );
      return saved;
    },
    async write(all) {
      const rows = all.map(({ name, labels }) =>
        [csvCell(name), 'train', ...classes.map((each) => labels[each] ?? '')].join(','),
      );
      const head = ['Filename', 'split', ...classes].map(csvCell).join(',');
      writeWhole(file, `${[head, ...rows].join('\n')}\n`);
    },
  };
}

/** Labels of audits, in the table that `monitor` and `refit` read. What is taken back becomes unsure. */
export function auditStore(file: string, classes: readonly string[]): LabelStore {
  return {
    file,
    async read() {
      const table = await openLabelTable(file, classes);
      return table.ids().flatMap((name) => {
        const answer = table.answerOf(name);
        return answer ? [{ name, labels: labelsOf(answer, classes), author: '', time: '' }] : [];
      });
    },
    async write(_, changed) {
      const table = await openLabelTable(file, classes);
      for (const { name, labels } of changed) table.set(name, answerOf(labels));
      table.save();
    },
  };
}

/** The labels that an answer gives to every class. */
export function labelsOf(answer: AuditAnswer, classes: readonly string[]): Labels {
  return Object.fromEntries(
    classes.map((name) => {
      if (answer.kind === 'classes') return [name, answer.classes.includes(name) ? 1 : 0] as const;
      return [name, answer.kind === 'negative' ? 0 : null] as const;
    }),
  );
}

function answerOf(labels: Labels | null): AuditAnswer {
  const entries = Object.entries(labels ?? {});
  const present = entries.filter(([, label]) => label === 1).map(([name]) => name);
  if (present.length > 0) return { kind: 'classes', classes: present };
  return entries.length > 0 && entries.every(([, label]) => label === 0)
    ? { kind: 'negative' }
    : { kind: 'unsure' };
}
