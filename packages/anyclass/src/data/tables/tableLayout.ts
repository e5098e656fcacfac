import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import { nearestOrAll } from '../../errors/nearest.js';
import { numberIn, targetIn, type UncertainPolicy } from './labelCells.js';

/** The roles of a table's columns. */
export interface TableOptions {
  /**
   * Column of image file names. Default: one called Filename, file_name, image…, else the
   * first if it contains names.
   */
  readonly imageColumn?: string;
  /**
   * Column of labels, several in a cell or one per row. Default: one called labels, Finding Labels,
   * label, tags, or classes.
   */
  readonly labelColumn?: string;
  /**
   * Column with the value of a row's single label, 0 to 1. Default: one called confidence, value,
   * probability, or presence.
   */
  readonly valueColumn?: string;
  /** Separator of labels in a cell, '' for none. Default: the first of `|`, `;`, and `,` that occurs. */
  readonly separator?: string;
  /** A label that means negative, such as 'No Finding'. An empty cell always does. */
  readonly negativeLabel?: string;
  /**
   * Column with the patient, video, or other group of a row. Default: one called group, patient, or subject.
   */
  readonly groupColumn?: string;
  /** Column with train, validation, or test. Default: one called split. */
  readonly splitColumn?: string;
  /** The class names in order: which 0/1 columns are read, or which labels are allowed. Default: all. */
  readonly classes?: readonly string[];
  /**
   * Columns of features, instead of images; `*` stands for any text. Default: those
   * called feature_0, feature_1…
   */
  readonly featureColumns?: readonly string[];
  /** Columns to skip because they are not classes. */
  readonly ignoreColumns?: readonly string[];
  /** Read only these 0/1 columns; the content of others does not matter. */
  readonly keep?: readonly string[];
  /** How -1 in a class column is read. Default `ignore`: as unknown. */
  readonly uncertain?: UncertainPolicy;
}

export interface TableLayout {
  readonly image: number;
  readonly labels: /** Without columns, all labels are unknown. */
    | { readonly kind: 'columns'; readonly columns: readonly number[]; readonly classes: readonly string[] }
    | {
        readonly kind: 'separated';
        readonly column: number;
        readonly name: string;
        readonly value: number | undefined;
      };
  readonly group: { readonly index: number; readonly name: string } | undefined;
  readonly split: number | undefined;
  /** Throws if the first row contradicts what was guessed from the header. */
  checkFirstRow(cells: readonly string[], where: () => string): void;
}

const imageNames =
  'filename,imageindex,image,imagepath,path,file,filepath,name,imagename,imagefile,imageid,id'.split(',');
const labelNames = ['labels', 'findinglabels', 'label', 'tags', 'classes'];
const valueNames = ['confidence', 'value', 'probability', 'presence'];
const groupNames = ['group', 'patient', 'patientid', 'subject', 'subjectid'];
// Columns with these names may list labels, or be a class or a note next to 0/1
// columns; the user has to decide.
const doubtfulNames = ['class', 'classname', 'labelname', 'category', 'categoryname', 'finding', 'findings'];

/**
 * Determines the roles of a table's columns, from the options or else from their names.
 *
 * @example
 * tableLayout(['Filename', 'crack', 'root'], 'train.csv', {}).labels
 * // { kind: 'columns', columns: [1, 2], classes: ['crack', 'root'] }
 */
export function tableLayout(columns: readonly string[], file: string, options: TableOptions): TableLayout {
  refuseMissingHeader(columns, file);
  const chosen = (name: string | undefined, field: string) =>
    name === undefined ? undefined : columnIndex(columns, name, `${file}: no column '${name}' (${field})`);
  const ignored = options.ignoreColumns ?? [];
  const found = (names: readonly string[]) => guessed(columns, names, ignored);
  const namedImage = chosen(options.imageColumn, 'data.columns.image') ?? found(imageNames);
  const image = namedImage ?? 0;
  const groupIndex = chosen(options.groupColumn, 'data.columns.group') ?? found(groupNames);
  const group = groupIndex === undefined ? undefined : { index: groupIndex, name: columns[groupIndex]! };
  const split = chosen(options.splitColumn, 'data.columns.split') ?? found(['split']);
  const labelColumn = chosen(options.labelColumn, 'data.columns.labels') ?? found(labelNames);
  const imageCheck = (cells: readonly string[], where: () => string) => {
    if (namedImage === undefined) refuseImageColumn(columns, cells[0]!, where);
  };
  if (labelColumn !== undefined && labelColumn !== image) {
    const value = chosen(options.valueColumn, 'data.columns.value') ?? found(valueNames);
    return {
      image,
      group,
      split,
      labels: { kind: 'separated', column: labelColumn, name: columns[labelColumn]!, value },
      checkFirstRow: imageCheck,
    };
  }
  const wanted = options.classes ?? options.keep;
  const taken = new Set([image, groupIndex, split]);
  if (!wanted) for (const name of ignored) taken.add(chosen(name, 'data.columns.ignore'));
  const others = columns.flatMap((name, i) => (taken.has(i) || name === '' ? [] : [i]));
  const classColumns = wanted
    ? wanted.map((name) => columnIndex(columns, name, `${file}: no class '${name}'`, others))
    : others;
  if (classColumns.length === 0) {
    throw new DataError(
      `${file}, line 1: no class columns; expected one 0/1 column per class, or one column called 'labels'`,
    );
  }
  const doubtful = found(doubtfulNames);
  return {
    image,
    group,
    split,
    labels: { kind: 'columns', columns: classColumns, classes: classColumns.map((i) => columns[i]!) },
    checkFirstRow(cells, where) {
      imageCheck(cells, where);
      if (doubtful === undefined || !classColumns.includes(doubtful)) return;
      refuseLabelColumn(columns[doubtful]!, cells[doubtful]!, where);
    },
  };
}

/** The columns that are neither classes nor features, according to the options or else to their names. */
export interface SpecialColumns {
  /** The column of row names. */
  readonly image: string | undefined;
  readonly others: readonly string[];
}

/**
 * Finds the columns that are neither classes nor features.
 *
 * @example
 * specialColumns(['id', 'width', 'crack', 'split'], {}) // { image: 'id', others: ['split'] }
 */
export function specialColumns(columns: readonly string[], options: TableOptions): SpecialColumns {
  const ignored = options.ignoreColumns ?? [];
  const find = (chosen: string | undefined, names: readonly string[]) => {
    const index = guessed(columns, names, ignored);
    return chosen ?? (index === undefined ? undefined : columns[index]);
  };
  const others = [
    find(options.groupColumn, groupNames),
    find(options.splitColumn, ['split']),
    find(options.labelColumn, labelNames),
  ];
  return {
    image: find(options.imageColumn, imageNames),
    others: [...others.filter((name) => name !== undefined), ...ignored],
  };
}

/**
 * The layout of a table with image names but no classes, such as a benchmark's test file.
 *
 * @example
 * unlabeledLayout(['Filename'], 'test.csv', {}, ['crack', 'root']).labels // { kind: 'columns', columns: [], … }
 */
export function unlabeledLayout(
  columns: readonly string[],
  file: string,
  options: TableOptions,
  classes: readonly string[],
): TableLayout {
  const placeholder = 'no class';
  const { classes: _, keep: __, labelColumn: ___, ...others } = options;
  const layout = tableLayout([...columns, placeholder], file, { ...others, classes: [placeholder] });
  return { ...layout, labels: { kind: 'columns', columns: [], classes } };
}

/** Refuses a table that starts with its first image instead of a header: that image would be lost. */
function refuseMissingHeader(columns: readonly string[], file: string): void {
  const image = columns.find((name) => /\.(jpe?g|png|webp|tiff?|gif|avif|bmp|dcm)$/i.test(name));
  if (image === undefined) return;
  throw new DataError(
    `${file}, line 1: '${image}' is an image, not the name of a column; add a line of column names at the top, such as Filename,${columns.length === 2 ? 'labels' : 'crack,roots'}`,
  );
}

/** Refuses to take the first column for image names if it contains labels or numbers. */
function refuseImageColumn(columns: readonly string[], cell: string, where: () => string): void {
  if (targetIn(cell) === undefined && numberIn(cell) === undefined) return;
  throw new DataError(
    `${where()}: no column of image names: the first column, '${columns[0]}', holds '${cell}'. Set data.columns.image to the right column; the columns are ${listed(columns, 24)}`,
    { setting: 'data.columns.image=COLUMN' },
  );
}

function refuseLabelColumn(name: string, cell: string, where: () => string): void {
  if (targetIn(cell) !== undefined) return;
  throw new DataError(
    `${where()}: column '${name}' holds '${cell}'. If it lists the labels of a row, set data.columns.labels to it; if it is not a class, add it to data.columns.ignore`,
    { setting: `data.columns.labels=${name}` },
  );
}

/** The index of a column. If there is none, throws the problem with the column that may have been meant. */
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

/** The first column with one of the names, ignoring case, spaces, hyphens, and underscores. */
function guessed(
  columns: readonly string[],
  names: readonly string[],
  ignored: readonly string[],
): number | undefined {
  const plain = columns.map((column) =>
    ignored.includes(column) ? '' : column.toLowerCase().replaceAll(/[ _-]/g, ''),
  );
  for (const name of names) {
    const index = plain.indexOf(name);
    if (index >= 0) return index;
  }
  return undefined;
}
