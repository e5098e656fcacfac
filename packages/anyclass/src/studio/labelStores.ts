// Where labels are saved: files of their own, never the user's table. A file is whole or as it was, and two tabs, two servers or two
// people never lose each other's labels.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileProblem, withSharedLock } from '@anyclass/files';
import type { Labels, SavedLabels, SaveRequest } from '@anyclass/studio';
import type { AuditAnswer } from '../audits/choices.js';
import { openLabelTable } from '../audits/labelTable.js';
import { readCsv } from '../data/tables/csv.js';
import { targetIn, UNCERTAIN } from '../data/tables/labelCells.js';
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
        if (!isSame(before?.labels ?? {}, replaces ?? {}))
          throw new UserError(
            `${name} was labeled meanwhile${before?.author ? ` by ${before.author}` : ''}; reload to see it`,
          );
        all.delete(name);
        if (labels !== null && Object.keys(labels).length > 0)
          all.set(name, { name, labels, author, time: now.toISOString() });
      }
      await store.write([...all.values()], requests);
      return [...all.values()];
    });
  } catch (error) {
    if (error instanceof UserError || error instanceof DataError) throw error;
    throw new UserError(`${store.file} cannot be written: ${fileProblem(error)}`, { cause: error });
  }
}

function isSame(first: Labels, second: Labels): boolean {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].every((name) => (first[name] ?? null) === (second[name] ?? null));
}

const header = ['image', 'class', 'label', 'author', 'time'];

/**
 * Corrections of a dataset, as `data.corrections` takes them: a row per label, with who said so and when. Rows of other images stay as they
 * are, since files of others may hold shares and words.
 *
 * @param others a file of corrections that the data is read with already; its labels are kept
 */
export function correctionStore(file: string, others?: string): LabelStore {
  const rows = async () => {
    const path = existsSync(file) ? file : others;
    return path === undefined || !existsSync(path)
      ? new Map<string, CorrectionRow[]>()
      : readCorrections(path);
  };
  return {
    file,
    async read() {
      return Array.from(await rows(), ([name, own]) => ({
        name,
        labels: Object.fromEntries(own.map(({ className, target }) => [className, target])),
        author: own.at(-1)!.author,
        time: own.at(-1)!.time,
      }));
    },
    async write(all, changed) {
      const kept = await rows();
      for (const { name } of changed) kept.delete(name);
      const isKept = (name: string) => kept.has(name);
      const lines = all.flatMap(({ name, labels, author, time }) =>
        isKept(name)
          ? kept.get(name)!.map((row) => [name, row.className, row.label, row.author, row.time])
          : Object.entries(labels).map(([className, label]) => [
              name,
              className,
              labelCell(label),
              author,
              time,
            ]),
      );
      writeWhole(file, [header, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\n`).join(''));
    },
  };
}

interface CorrectionRow {
  readonly className: string;
  /** As it stands in the file. */
  readonly label: string;
  /** The side of a share on which it lies; null for unknown and uncertain. */
  readonly target: 0 | 1 | null;
  readonly author: string;
  readonly time: string;
}

async function readCorrections(path: string): Promise<Map<string, CorrectionRow[]>> {
  const byName = new Map<string, CorrectionRow[]>();
  await readCsv(
    path,
    (columns) => {
      const at = (column: string) => columns.indexOf(column);
      const image = columns.findIndex((column) => /^(image|filename|file_name)$/i.test(column));
      if (image < 0 || at('class') < 0 || at('label') < 0)
        throw new DataError(`${path}: expected the columns ${header.join(', ')}`);
      return (cells, line) => {
        const label = cells[at('label')]!;
        const value = targetIn(label);
        if (value === undefined)
          throw new DataError(
            `${path}, line ${line}: label '${label}'; expected 0 to 1, empty for unknown, or -1 for uncertain`,
          );
        const row: CorrectionRow = {
          className: cells[at('class')]!,
          label,
          target: Number.isNaN(value) || value === UNCERTAIN ? null : value >= 0.5 ? 1 : 0,
          author: cells[at('author')] ?? '',
          time: cells[at('time')] ?? '',
        };
        const name = cells[image]!;
        const own = byName.get(name);
        if (own) own.push(row);
        else byName.set(name, [row]);
      };
    },
    path,
  );
  return byName;
}

function labelCell(label: 0 | 1 | null | undefined): string {
  return label === null || label === undefined ? '' : String(label);
}

/** Labels of a queue's images, as a table to train on: a row per image. A table that has other columns is somebody's, and is left alone. */
export function tableStore(file: string, classes: readonly string[]): LabelStore {
  const head = ['Filename', 'split', ...classes];
  const refuseOthers = (columns: readonly string[]) => {
    if (columns.join('\n') !== head.map((each) => each.trim()).join('\n'))
      throw new DataError(
        `${file} is not the table of this queue's labels, which has the columns ${head.join(', ')}; move it away`,
      );
  };
  return {
    file,
    async read() {
      const saved: SavedLabels[] = [];
      if (!existsSync(file)) return saved;
      await readCsv(
        file,
        (columns) => {
          refuseOthers(columns);
          return ([name = '', _split, ...cells], line) => {
            const labels = Object.fromEntries(
              classes.map((each, j) => [each, wholeLabel(cells[j] ?? '', `${file}, line ${line}`)] as const),
            );
            saved.push({ name, labels, author: '', time: '' });
          };
        },
        file,
      );
      return saved;
    },
    async write(all) {
      const rows = all.map(({ name, labels }) =>
        [csvCell(name), 'train', ...classes.map((each) => labelCell(labels[each]))].join(','),
      );
      writeWhole(file, `${[head.map(csvCell).join(','), ...rows].join('\n')}\n`);
    },
  };
}

function wholeLabel(cell: string, where: string): 0 | 1 | null {
  if (cell === '') return null;
  if (cell === '0' || cell === '1') return cell === '1' ? 1 : 0;
  throw new DataError(`${where}: label '${cell}'; expected 0, 1, or empty for unknown`);
}

/** Labels of audits, in the table that `monitor` and `refit` read. What is taken back is to be labeled again. */
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

function answerOf(labels: Labels | null): AuditAnswer | undefined {
  if (labels === null) return undefined;
  const entries = Object.entries(labels);
  const present = entries.filter(([, label]) => label === 1).map(([name]) => name);
  if (present.length > 0) return { kind: 'classes', classes: present };
  return entries.length > 0 && entries.every(([, label]) => label === 0)
    ? { kind: 'negative' }
    : { kind: 'unsure' };
}
