// What people said about images of a log: a table with `id`, and `negative` or a column per class.

import { existsSync } from 'node:fs';
import { readCsv } from '../data/tables/csv.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';

/** The label of an image, and the line of the table that has it. */
export interface AuditLabel {
  readonly isNegative: boolean;
  readonly line: number;
  /** Which classes are present, if there are columns for classes and not all cells are empty; undefined for undecided ones. */
  readonly classes?: ReadonlyMap<string, boolean | undefined>;
}

/**
 * Reads labels by id. `negative` is 1 or 0; class columns hold 0 and 1, and an image is negative if all are 0. With both,
 * they must agree; where `negative` is empty, the classes say it. Empty cells are undecided: such an image counts as not labeled
 * yet, unless a class is present. Of several rows with one id, all must agree.
 *
 * @param classNames the classes of the model; columns that people add have some names, which are a class only if it is one of these
 *
 * @example
 * (await readAuditLabels('labels.csv')).get('3f2a-0')?.isNegative // true
 */
export async function readAuditLabels(
  path: string,
  classNames: readonly string[] = [],
): Promise<Map<string, AuditLabel>> {
  if (!existsSync(path)) throw new UserError(`${path}: no such file; expected a table with id and negative`);
  const labels = new Map<string, AuditLabel>();
  await readCsv(
    path,
    (columns) => {
      const idAt = columns.indexOf('id');
      const negativeAt = columns.indexOf('negative');
      if (idAt < 0) throw new DataError(`${path}: no column 'id'; expected the ids of the log`);
      const classAt = columns.flatMap((column, i) =>
        i === idAt || i === negativeAt || (addedColumns.has(column) && !classNames.includes(column))
          ? []
          : [i],
      );
      if (negativeAt < 0 && classAt.length === 0) {
        throw new DataError(`${path}: no column 'negative', and none for a class`);
      }
      return (cells, line) => {
        const id = cells[idAt] ?? '';
        if (id === '') throw new DataError(`${path}, line ${line}: no id`);
        const value = (at: number) => cellValue(cells[at] ?? '', `${path}, line ${line}`, columns[at] ?? '');
        const classes = new Map(classAt.map((at) => [columns[at] ?? '', value(at)]));
        const byClass = negativeOf([...classes.values()]);
        const isNegative = (negativeAt >= 0 ? value(negativeAt) : undefined) ?? byClass;
        if (isNegative === undefined) return;
        if (byClass !== undefined && byClass !== isNegative) {
          const other = byClass ? 'no class is' : 'a class is';
          throw new DataError(
            `${path}, line ${line}: negative is ${Number(isNegative)}, but ${other} present`,
          );
        }
        const before = labels.get(id);
        if (before && before.isNegative !== isNegative) {
          throw new DataError(
            `${path}, line ${line}: ${id} is ${word(isNegative)} here, but ${word(before.isNegative)} in line ${before.line}; keep one of them`,
          );
        }
        const other = [...classes].find(([name, present]) => isContrary(before?.classes?.get(name), present));
        if (before && other) {
          const [name, present] = other;
          throw new DataError(
            `${path}, line ${line}: ${id} has ${name} ${Number(present)} here, but ${Number(!present)} in line ${before.line}; keep one of them`,
          );
        }
        const isByClass = [...classes.values()].some((present) => present !== undefined);
        if (!before?.classes)
          labels.set(id, { isNegative, line: before?.line ?? line, ...(isByClass && { classes }) });
      };
    },
    path,
  );
  return labels;
}

function isContrary(first: boolean | undefined, second: boolean | undefined): boolean {
  return first !== undefined && second !== undefined && first !== second;
}

/** Columns that people add and that are no classes. */
const addedColumns: ReadonlySet<string> = new Set([
  'name',
  'Filename',
  'author',
  'time',
  'note',
  'model',
  'version',
  'group',
  'outcome',
  'sha256',
  'unsure',
]);

function cellValue(text: string, place: string, column: string): boolean | undefined {
  if (text === '') return undefined;
  // Where some cells are empty, pandas writes 1.0.
  if (/^[01](\.0)?$/.test(text)) return text.startsWith('1');
  throw new DataError(`${place}: ${column} is '${text}'; expected 1, 0, or nothing if undecided`);
}

function negativeOf(classes: readonly (boolean | undefined)[]): boolean | undefined {
  if (classes.includes(true)) return false;
  return classes.length === 0 || classes.includes(undefined) ? undefined : true;
}

function word(isNegative: boolean): string {
  return isNegative ? 'negative' : 'positive';
}
