// The table of labels that people fill in: a row per image, with `negative` and a column per class. Columns of others stay.

import { existsSync } from 'node:fs';
import { readCsv } from '../data/tables/csv.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { readAuditLabels } from '../field/auditLabels.js';
import { writeWhole } from '../files/wholeFile.js';
import { csvCell } from '../runs/scoreFiles.js';
import { type AuditAnswer, allChoices } from './choices.js';

export interface LabelTable {
  /** Undefined if nobody looked at the image yet, even if its row is there to be filled in. */
  answerOf(id: string): AuditAnswer | undefined;
  /** Replaces what is said about an image; undefined leaves its row to be filled in. */
  set(id: string, answer: AuditAnswer | undefined, name?: string): void;
  /** The ids, in the order of the table. */
  ids(): string[];
  /** The table as CSV. */
  text(): string;
  /** Writes the file, completely or not at all. */
  save(): void;
}

/**
 * Opens a table of labels, or starts one.
 *
 * @throws DataError if its labels contradict each other or cannot be read
 *
 * @example
 * const table = await openLabelTable('labels.csv', ['crack', 'roots']);
 * table.set('3f2a', { kind: 'negative' });
 * table.save();
 */
export async function openLabelTable(
  path: string | undefined,
  classes: readonly string[],
): Promise<LabelTable> {
  const reserved = classes.find((name) => reservedColumns.has(name));
  if (reserved !== undefined)
    throw new UserError(
      `the class '${reserved}' has the name of a column or answer of the labels, so audit cannot take its labels; write a table with id and negative (1 or 0) by hand, for the lines of the log with "drawn": true, which monitor and refit take; or rename the class before the next training`,
    );
  const { columns, rows } =
    path !== undefined && existsSync(path)
      ? await readRows(path, classes)
      : { columns: ['id', 'name'], rows: [] };
  const all = new Set([...columns, 'negative', ...classes]);
  const byId = new Map<string, Map<string, string>[]>();
  const place = (row: Map<string, string>) => {
    const id = row.get('id') ?? '';
    byId.set(id, [...(byId.get(id) ?? []), row]);
  };
  rows.forEach(place);

  const text = () => {
    const lines = [[...all], ...rows.map((row) => Array.from(all, (column) => row.get(column) ?? ''))];
    return lines.map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
  };
  return {
    answerOf: (id) => {
      const [row] = byId.get(id) ?? [];
      return row && answerIn(row, classes);
    },
    set(id, answer, name = '') {
      const unknown = answer?.kind === 'classes' && answer.classes.find((each) => !classes.includes(each));
      if (unknown) throw new DataError(`${id}: '${unknown}' is no class; expected ${classes.join(', ')}`);
      if (!byId.has(id)) {
        const row = new Map([
          ['id', id],
          ['name', name],
        ]);
        rows.push(row);
        place(row);
      }
      if (answer?.kind === 'unsure') all.add(unsureColumn);
      for (const row of byId.get(id) ?? []) {
        for (const [column, cell] of cellsOf(answer, classes)) row.set(column, cell);
      }
    },
    ids: () => [...byId.keys()],
    text,
    save() {
      if (path === undefined) throw new UserError('labels: no file to write; expected a path');
      writeWhole(path, text());
    },
  };
}

/** Tells rows that someone looked at from rows that are to be filled in. The table has it once someone was unsure. */
const unsureColumn = 'unsure';

/** Columns of ours, and answers that other programs offer beside the classes. */
const reservedColumns: ReadonlySet<string> = new Set(['id', 'name', 'negative', ...allChoices([])]);

async function readRows(
  path: string,
  classes: readonly string[],
): Promise<{ columns: string[]; rows: Map<string, string>[] }> {
  // Reports contradictions and unreadable cells with their line.
  await readAuditLabels(path, classes);
  const rows: Map<string, string>[] = [];
  let names: readonly string[] = [];
  await readCsv(
    path,
    (columns) => {
      names = columns;
      return (cells) => rows.push(new Map(columns.map((column, i) => [column, cells[i] ?? ''])));
    },
    path,
  );
  return { columns: [...names], rows };
}

function cellsOf(
  answer: AuditAnswer | undefined,
  classes: readonly string[],
): [column: string, cell: string][] {
  const negative = answer && { negative: '1', classes: '0', positive: '0', unsure: '' }[answer.kind];
  const cell = (name: string) => {
    if (answer?.kind === 'classes') return answer.classes.includes(name) ? '1' : '0';
    return answer?.kind === 'negative' ? '0' : '';
  };
  return [
    ['negative', negative ?? ''],
    [unsureColumn, answer?.kind === 'unsure' ? '1' : ''],
    ...classes.map((name): [string, string] => [name, cell(name)]),
  ];
}

function answerIn(row: ReadonlyMap<string, string>, classes: readonly string[]): AuditAnswer | undefined {
  // Where some cells are empty, pandas writes 1.0.
  const holds = (column: string, digit: '0' | '1') => [digit, `${digit}.0`].includes(row.get(column) ?? '');
  const present = classes.filter((name) => holds(name, '1'));
  if (present.length > 0) return { kind: 'classes', classes: present };
  if (holds('negative', '0')) return { kind: 'positive' };
  const isNegative =
    holds('negative', '1') || (classes.length > 0 && classes.every((name) => holds(name, '0')));
  if (isNegative) return { kind: 'negative' };
  return holds(unsureColumn, '1') ? { kind: 'unsure' } : undefined;
}
