import { DataError } from '../../errors/dataError.js';
import { nearestOrAll } from '../../errors/nearest.js';
import type { UncertainPolicy } from './labelCells.js';

/** Which columns of a table mean what. */
export interface TableOptions {
  /** Column with the file name of the image. Default: one called Filename, file_name, image…, else the first. */
  readonly imageColumn?: string;
  /** Column with all labels of a row, separated. Default: one called labels, Finding Labels or tags. */
  readonly labelColumn?: string;
  /** What separates labels in that column. Default: `|`, `;` or `,`, the first of them that occurs. */
  readonly separator?: string;
  /** A label that means 'nothing here', such as 'No Finding'. An empty cell always does. */
  readonly negativeLabel?: string;
  /** Column with the patient, video or other group of a row. Default: one called group, patient, subject. */
  readonly groupColumn?: string;
  /** Column that says train, validation or test. Default: one called split. */
  readonly splitColumn?: string;
  /** The class names in their order: which 0/1 columns count, or which labels are allowed. Default: all. */
  readonly classes?: readonly string[];
  /** Columns that are no classes, to be passed over. */
  readonly ignoreColumns?: readonly string[];
  /** Read only these 0/1 columns; what others hold does not matter then. */
  readonly keep?: readonly string[];
  /** How a -1 in a class column is read. Default `ignore`: as unknown. */
  readonly uncertain?: UncertainPolicy;
}

export interface TableLayout {
  readonly image: number;
  readonly labels:
    | { readonly kind: 'columns'; readonly columns: readonly number[]; readonly classes: readonly string[] }
    | { readonly kind: 'separated'; readonly column: number };
  readonly group: { readonly index: number; readonly name: string } | undefined;
  readonly split: number | undefined;
}

const imageNames = ['filename', 'imageindex', 'image', 'imagepath', 'path', 'file', 'name', 'imageid', 'id'];
const labelNames = ['labels', 'findinglabels', 'label', 'tags', 'classes'];
const groupNames = ['group', 'patient', 'patientid', 'subject', 'subjectid'];

/**
 * Find out what the columns of a table mean, from the options and else from their names.
 *
 * @example
 * tableLayout(['Filename', 'crack', 'root'], 'train.csv', {}).labels
 * // { kind: 'columns', columns: [1, 2], classes: ['crack', 'root'] }
 */
export function tableLayout(columns: readonly string[], file: string, options: TableOptions): TableLayout {
  const chosen = (name: string | undefined, field: string) =>
    name === undefined ? undefined : columnIndex(columns, name, `${file}: no column '${name}' (${field})`);
  const image = chosen(options.imageColumn, 'data.columns.image') ?? guessed(columns, imageNames) ?? 0;
  const groupIndex = chosen(options.groupColumn, 'data.columns.group') ?? guessed(columns, groupNames);
  const group = groupIndex === undefined ? undefined : { index: groupIndex, name: columns[groupIndex]! };
  const split = chosen(options.splitColumn, 'data.columns.split') ?? guessed(columns, ['split']);
  const separated = chosen(options.labelColumn, 'data.columns.labels') ?? guessed(columns, labelNames);
  if (separated !== undefined && separated !== image) {
    return { image, group, split, labels: { kind: 'separated', column: separated } };
  }
  const wanted = options.classes ?? options.keep;
  const ignored = wanted ? [] : (options.ignoreColumns ?? []);
  const taken = new Set([image, groupIndex, split]);
  for (const name of ignored) taken.add(chosen(name, 'data.columns.ignore'));
  const others = columns.flatMap((name, i) => (taken.has(i) || name === '' ? [] : [i]));
  const classColumns = wanted
    ? wanted.map((name) => columnIndex(columns, name, `${file}: no class '${name}'`, others))
    : others;
  if (classColumns.length === 0) {
    throw new DataError(
      `${file}, line 1: no class columns; expected one 0/1 column per class, or one column called 'labels'`,
    );
  }
  const classes = classColumns.map((i) => columns[i]!);
  return { image, group, split, labels: { kind: 'columns', columns: classColumns, classes } };
}

/** Where a column is; where there is none, the problem is told with the columns that it may have been. */
function columnIndex(
  columns: readonly string[],
  name: string,
  problem: string,
  classColumns?: readonly number[],
): number {
  const index = columns.indexOf(name);
  if (index >= 0) return index;
  const hint = classColumns
    ? nearestOrAll(
        name,
        classColumns.map((i) => columns[i]!),
        'the classes are',
      )
    : nearestOrAll(name, columns, 'the columns are');
  throw new DataError(`${problem}; ${hint}`);
}

/** The first column with one of the names, whatever its case, blanks and underscores. */
function guessed(columns: readonly string[], names: readonly string[]): number | undefined {
  const plain = columns.map((column) => column.toLowerCase().replaceAll(/[ _-]/g, ''));
  for (const name of names) {
    const index = plain.indexOf(name);
    if (index >= 0) return index;
  }
  return undefined;
}
