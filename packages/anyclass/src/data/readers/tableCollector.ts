import { DataError } from '../../errors/dataError.js';
import { type DatasetTable, type Grouping, type SplitName, type Splits, splitNames } from '../dataset.js';
import { type LabelMatrix, labelMatrixBuilder } from '../labelMatrix.js';
import { type NameTable, nameTableBuilder } from '../nameTable.js';
import { growingInt32 } from '../typedArrays.js';
import { labelCell, UNCERTAIN, uncertainTarget } from './labelCells.js';
import { separatedLabels } from './separatedLabels.js';
import type { TableLayout, TableOptions } from './tableLayout.js';

/** Gathers the rows of one or several tables of the same layout into the columns of a dataset. */
export interface TableCollector {
  readonly rows: number;
  /**
   * Take a row: its cells as text, where it stands (`train.csv, line 7`, made only for a complaint), and the split
   * that its file stands for.
   */
  add(cells: readonly string[], layout: TableLayout, where: () => string, split?: SplitName): void;
  /** `title` stands for all tables where something is wrong with them together. */
  finish(title: string): CollectedTable;
}

export interface CollectedTable {
  readonly names: NameTable;
  readonly labels: LabelMatrix;
  readonly classes: readonly string[];
  readonly groups: Grouping | undefined;
  readonly fixedSplits: DatasetTable['fixedSplits'] | undefined;
}

/**
 * @example
 * const table = tableCollector({});
 * const layout = tableLayout(['Filename', 'crack'], 'train.csv', {});
 * table.add(['1.png', '1'], layout, () => 'train.csv, line 2');
 * table.finish('train').labels.at(0, 0) // 1
 */
export function tableCollector(options: TableOptions): TableCollector {
  const names = nameTableBuilder();
  const groups = groupCollector();
  const splits = growingInt32();
  let firstLayout: TableLayout | undefined;
  let columns: ReturnType<typeof labelMatrixBuilder> | undefined;
  const separated = separatedLabels();
  const uncertain = uncertainTarget(options.uncertain ?? 'ignore');
  return {
    get rows() {
      return names.length;
    },
    add(cells, layout, where, split) {
      firstLayout ??= layout;
      const name = cells[layout.image]!;
      checkImageName(name, where);
      names.add(name);
      if (layout.labels.kind === 'columns') {
        columns ??= labelMatrixBuilder(layout.labels.classes.length);
        columns.addRow();
        for (let j = 0; j < layout.labels.columns.length; j++) {
          const target = labelCell(cells[layout.labels.columns[j]!]!, layout.labels.classes[j]!, where);
          if (target === UNCERTAIN) columns.setUncertain(j, uncertain);
          else if (target !== 0) columns.set(j, target);
        }
      } else {
        separated.add(cells[layout.labels.column]!, where);
      }
      if (layout.group !== undefined) groups.add(cells[layout.group.index]!);
      const said = layout.split === undefined ? split : splitNamed(cells[layout.split]!, where);
      splits.push(said === undefined ? -1 : splitNames.indexOf(said));
    },
    finish(title) {
      const layout = firstLayout;
      if (layout === undefined) throw new DataError(`${title}: a header and no rows below it`);
      const { labels, classes } =
        columns && layout.labels.kind === 'columns'
          ? { labels: columns.finish(), classes: layout.labels.classes }
          : separated.finish(options);
      const table = names.finish();
      const twice = table.firstRepeat();
      if (twice) {
        throw new DataError(
          `${title}: image '${table.at(twice[0])}' stands in two rows, number ${twice[0] + 1} and number ${twice[1] + 1} without headers; leave one of them`,
        );
      }
      return {
        names: table,
        labels,
        classes,
        groups: layout.group === undefined ? undefined : groups.finish(layout.group.name),
        fixedSplits: splitsFromCodes(splits.finish(), layout.split === undefined),
      };
    },
  };
}

/** Numbers groups in order of first appearance, as splits by group need them. */
function groupCollector(): { add(name: string): void; finish(column: string): Grouping } {
  const codeOf = new Map<string, number>();
  const codes = growingInt32();
  return {
    add(name) {
      let code = codeOf.get(name);
      if (code === undefined) {
        code = codeOf.size;
        codeOf.set(name, code);
      }
      codes.push(code);
    },
    finish: (column) => ({ column, codes: codes.finish(), names: [...codeOf.keys()] }),
  };
}

/** An image name stays below the folder the user named: nothing absolute, no way up. */
export function checkImageName(name: string, where: () => string): void {
  if (name === '') throw new DataError(`${where()}: the image name is empty`);
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0') || /^[a-zA-Z]:/.test(name)) {
    throw new DataError(`${where()}: image '${name}' is not a path below the image folder`);
  }
  if (name.includes('..') && name.split('/').includes('..')) {
    throw new DataError(`${where()}: image '${name}' leads out of the image folder; '..' is not allowed`);
  }
}

/** The split a word means: train, val, valid, validation, dev, test. */
export function splitFromWord(word: string): SplitName | undefined {
  const plain = word.toLowerCase();
  if (plain === 'train' || plain === 'training') return 'train';
  if (plain === 'val' || plain === 'valid' || plain === 'validation' || plain === 'dev') return 'validation';
  return plain === 'test' || plain === 'testing' ? 'test' : undefined;
}

function splitNamed(word: string, where: () => string): SplitName {
  const split = splitFromWord(word.trim());
  if (split === undefined) {
    throw new DataError(`${where()}: split '${word}'; expected train, validation or test`);
  }
  return split;
}

function splitsFromCodes(codes: Int32Array, fromFiles: boolean): DatasetTable['fixedSplits'] | undefined {
  if (!codes.some((code) => code >= 0)) return undefined;
  const rowsOf = (wanted: number) => {
    const rows = growingInt32();
    codes.forEach((code, row) => {
      if (code === wanted) rows.push(row);
    });
    return rows.finish();
  };
  const splits: Splits = { train: rowsOf(0), validation: rowsOf(1), test: rowsOf(2) };
  return { splits, origin: fromFiles ? 'one file per split' : 'the table’s split column' };
}
