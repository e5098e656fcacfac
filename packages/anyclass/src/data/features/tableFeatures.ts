import { DataError } from '../../errors/dataError.js';
import type { FeatureSource } from '../dataset/featureSource.js';
import { featureCell } from '../tables/featureCells.js';
import { specialColumns, type TableOptions } from '../tables/tableLayout.js';
import { featureColumns } from './featureColumns.js';
import { featureTable } from './featureTable.js';

/** The column added for the names of rows that have none: file#row. */
export const ROW_NAME = 'file#row';

/** The features of one text table. */
export interface FileFeatures {
  /** The table's columns, plus one for row names if it has none. */
  readonly columns: readonly string[];
  /** Options for the layout of those columns. */
  readonly options: TableOptions;
  /** Takes the features of a row. Returns its cells for the layout. */
  take(cells: readonly string[], where: () => string): readonly string[];
}

/** The features of text tables that are read one after another. */
export interface TableFeatures {
  /** Undefined if the table has no features, so its rows are images. */
  startFile(columns: readonly string[], file: string): FileFeatures | undefined;
  /** Undefined if the tables had no features. */
  finish(): FeatureSource | undefined;
}

/**
 * Collects features while text tables are read.
 *
 * @param areElsewhere the features are in another file, and the tables have only labels
 *
 * @example
 * const features = tableFeatures({}, false);
 * features.startFile(['feature_0', 'feature_1', 'crack'], 'pipes.csv')?.columns // feature_0, feature_1, crack, file#row
 */
export function tableFeatures(options: TableOptions, areElsewhere: boolean): TableFeatures {
  const table = featureTable();
  let firstFile: { readonly name: string; readonly hasFeatures: boolean } | undefined;
  return {
    startFile(columns, file) {
      const { image, others } = specialColumns(columns, options);
      const classes = [...(options.classes ?? []), ...(options.keep ?? [])];
      const special = [...(image === undefined ? [] : [image]), ...others, ...classes];
      const indices = areElsewhere ? [] : featureColumns(columns, options.featureColumns, special, file);
      const hasFeatures = indices.length > 0;
      firstFile ??= { name: file, hasFeatures };
      if (hasFeatures !== firstFile.hasFeatures) {
        throw new DataError(
          `${file}: ${hasFeatures ? 'has' : 'lacks'} feature columns, unlike ${firstFile.name}`,
        );
      }
      if (!hasFeatures && !areElsewhere) return undefined;
      const names = indices.map((i) => columns[i]!);
      if (classes.length === 0) refuseAll(columns, names, special, file);
      if (hasFeatures) table.startFile(file, names);
      let row = 0;
      return {
        columns: image === undefined ? [...columns, ROW_NAME] : columns,
        options: {
          ...options,
          imageColumn: image ?? ROW_NAME,
          ignoreColumns: [...(options.ignoreColumns ?? []), ...names],
        },
        take(cells, where) {
          if (hasFeatures) table.add(indices.map((i, k) => featureCell(cells[i]!, names[k]!, where)));
          return image === undefined ? [...cells, `${file}#${row++}`] : cells;
        },
      };
    },
    finish: () => (firstFile?.hasFeatures ? table.finish() : undefined),
  };
}

/** Refuses a pattern that matches every column, since it leaves no classes. */
function refuseAll(
  columns: readonly string[],
  features: readonly string[],
  special: readonly string[],
  file: string,
): void {
  const left = columns.filter((name) => name !== '' && !features.includes(name));
  if (features.length === 0 || left.some((name) => !special.includes(name)) || special.length > 1) return;
  throw new DataError(
    `${file}: data.columns.features takes all columns and leaves none for classes; name the classes in data.classes`,
    { setting: 'data.classes=["CLASS"]' },
  );
}
