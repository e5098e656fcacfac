import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import type { DatasetTable, Grouping, Remark, SplitName } from '../../dataset/dataset.js';
import { splitNames } from '../../dataset/dataset.js';
import { type LabelMatrix, labelMatrixBuilder } from '../../dataset/labelMatrix.js';
import { type NameTable, nameTableBuilder } from '../../dataset/nameTable.js';
import { growingInt32 } from '../../dataset/typedArrays.js';
import { labelCell, targetIn, UNCERTAIN, uncertainTarget } from '../../tables/labelCells.js';
import type { TableLayout, TableOptions } from '../../tables/tableLayout.js';
import type { ImageNaming } from '../imageNames.js';
import { splitNamed, splitsFromCodes } from '../splitWords.js';
import { mergedRows, namesOfImages, singleRows, valuesOfImages } from './imageRows.js';
import { separatedLabels } from './separatedLabels.js';

/** Collects the rows of one or several tables of the same layout into the columns of a dataset. */
export interface TableCollector {
  readonly rows: number;
  /** Starts a file: the rows that follow are in it. */
  startFile(file: TableFile): void;
  /** Adds a row: its cells as text, and its line number. */
  add(cells: readonly string[], line: number): void;
  /** `title` names the tables as a whole in messages. */
  finish(title: string): CollectedTable;
}

export interface TableFile {
  readonly layout: TableLayout;
  /** The description of a line in messages: `train.csv, line 7`. */
  placeOf(line: number): string;
  readonly naming: ImageNaming;
  /** The split of the file's rows, if the file has one. */
  readonly split?: SplitName | undefined;
  /** Whether several rows may describe the same image; false if each row contains its own image. */
  readonly isMergeable: boolean;
}

export interface CollectedTable {
  readonly names: NameTable;
  /** The first row of an image in the tables. */
  sourceRow(image: number): number;
  readonly labels: LabelMatrix;
  readonly classes: readonly string[];
  readonly groups: Grouping | undefined;
  readonly fixedSplits: DatasetTable['fixedSplits'] | undefined;
  readonly remarks: readonly Remark[];
}

/**
 * Creates an empty collector.
 *
 * @example
 * const table = tableCollector({});
 * const layout = tableLayout(['Filename', 'crack'], 'train.csv', {});
 * table.startFile({ layout, placeOf: (line) => `train.csv, line ${line}`, naming: imageNaming('.'), isMergeable: true });
 * table.add(['1.png', '1'], 2);
 * table.finish('train').labels.at(0, 0) // 1
 */
export function tableCollector(options: TableOptions): TableCollector {
  const names = nameTableBuilder();
  const files: (TableFile & { readonly firstRow: number })[] = [];
  const lines = growingInt32();
  const groups = groupCodes();
  const splits = growingInt32();
  const separated = separatedLabels();
  const uncertain = uncertainTarget(options.uncertain ?? 'ignore');
  let columns: ReturnType<typeof columnLabels> | undefined;
  return {
    get rows() {
      return names.length;
    },
    startFile(file) {
      files.push({ ...file, firstRow: names.length });
    },
    add(cells, line) {
      const { layout, placeOf, naming, split, firstRow } = files.at(-1)!;
      const where = () => placeOf(line);
      if (names.length === firstRow) layout.checkFirstRow(cells, where);
      names.add(naming(cells[layout.image]!, where));
      lines.push(line);
      const { labels } = layout;
      if (labels.kind === 'columns') {
        columns ??= columnLabels(labels.classes, options);
        columns.add(cells, labels.columns, where);
      } else {
        const cell = cells[labels.column]!;
        if (labels.value === undefined) separated.add(cell);
        else separated.add(cell, labelCell(cells[labels.value]!, cell, where));
      }
      if (layout.group !== undefined) groups.add(cells[layout.group.index]!);
      const said = layout.split === undefined ? split : splitNamed(cells[layout.split]!, where);
      splits.push(said === undefined ? -1 : splitNames.indexOf(said));
    },
    finish(title) {
      const [file] = files;
      if (file === undefined || names.length === 0) {
        throw new DataError(`${title}: has a header but no rows`);
      }
      const { layout } = file;
      const table = names.finish();
      const lineOf = lines.finish();
      const placeOf = (row: number) =>
        files.findLast(({ firstRow }) => firstRow <= row)!.placeOf(lineOf[row]!);
      const firstRows = table.firstRows();
      if (firstRows) refuseRepeats(table, firstRows, file, placeOf);
      const rows = firstRows ? mergedRows(firstRows) : singleRows(table.length);
      const collected =
        layout.labels.kind === 'columns'
          ? columns!.finish()
          : separated.finish(rows, {
              ...options,
              column: layout.labels.name,
              uncertain,
              placeOf,
              nameOf: (row) => table.at(row),
            });
      const together = (what: string) => (first: number, other: number) =>
        `${placeOf(other)}: image '${table.at(other)}' has a different ${what} than in ${placeOf(first)}; its rows must agree`;
      const { group } = layout;
      return {
        ...collected,
        names: firstRows ? namesOfImages(table, rows) : table,
        sourceRow: rows.firstRow,
        groups: group && {
          column: group.name,
          names: groups.names(),
          codes: valuesOfImages(groups.codes(), rows, together(`'${group.name}'`)),
        },
        fixedSplits: splitsFromCodes(
          valuesOfImages(splits.finish(), rows, together('split')),
          layout.split === undefined ? 'one file per split' : 'the table’s split column',
        ),
      };
    },
  };
}

/** Collects the 0/1 columns of each row. */
function columnLabels(classes: readonly string[], options: TableOptions) {
  const uncertain = uncertainTarget(options.uncertain ?? 'ignore');
  const builder = labelMatrixBuilder(classes.length);
  const counts = { uncertain: 0, absent: 0 };
  /** Those already ignored, and all whose cell in this row is not a label: one hint instead of one after another. */
  const notClasses = (cells: readonly string[], columns: readonly number[]) => [
    ...(options.ignoreColumns ?? []),
    ...classes.filter((_, j) => targetIn(cells[columns[j]!]!) === undefined),
  ];
  return {
    add(cells: readonly string[], columns: readonly number[], where: () => string): void {
      builder.addRow();
      if (columns.length === 0) for (let j = 0; j < classes.length; j++) builder.set(j, Number.NaN);
      for (let j = 0; j < columns.length; j++) {
        const target = labelCell(cells[columns[j]!]!, classes[j]!, where, () => notClasses(cells, columns));
        if (target === 0) {
          counts.absent += 1;
        } else if (target === UNCERTAIN) {
          counts.uncertain += 1;
          builder.setUncertain(j, uncertain);
        } else {
          builder.set(j, target);
        }
      }
    },
    finish: () => ({
      labels: builder.finish(),
      classes,
      remarks: Number.isNaN(uncertain) ? signRemark(counts) : [],
    }),
  };
}

/** A remark on tables in which -1 may mean absent. */
function signRemark(counts: { readonly uncertain: number; readonly absent: number }): Remark[] {
  if (counts.uncertain === 0 || counts.absent > 0) return [];
  const labels = inflected(counts.uncertain, 'label is', 'labels are');
  const text = `${labels} -1 and none is 0: -1 is read as uncertain; if it means absent in this table, set data.uncertain to zero`;
  return [{ text, count: counts.uncertain, examples: [] }];
}

/** Refuses an image in several rows, unless each row names one of its labels. */
function refuseRepeats(
  names: NameTable,
  firstRows: Int32Array,
  { layout, isMergeable }: TableFile,
  placeOf: (row: number) => string,
): void {
  if (layout.labels.kind === 'separated' && isMergeable) return;
  const row = firstRows.findIndex((first, i) => first !== i);
  const what = `${placeOf(row)}: image '${names.at(row)}' is already in ${placeOf(firstRows[row]!)}`;
  if (!isMergeable) throw new DataError(`${what}; each row is a separate instance and needs its own name`);
  throw new DataError(
    `${what}. One row per label? Then set data.columns.labels to the column of labels. Otherwise, put all labels of an image into one row`,
    { setting: 'data.columns.labels=COLUMN' },
  );
}

/** Numbers groups in order of first appearance, as required for splits by group. */
function groupCodes() {
  const codeOf = new Map<string, number>();
  const codes = growingInt32();
  return {
    add(name: string): void {
      let code = codeOf.get(name);
      if (code === undefined) {
        code = codeOf.size;
        codeOf.set(name, code);
      }
      codes.push(code);
    },
    codes: () => codes.finish(),
    names: () => [...codeOf.keys()],
  };
}
