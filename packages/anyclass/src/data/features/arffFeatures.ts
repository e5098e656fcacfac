import type { ArffAttribute } from '../tables/arff.js';
import { narrowed } from '../tables/featureCells.js';

/** How the attributes of an ARFF file become a feature vector. */
export interface ArffFeatures {
  readonly names: readonly string[];
  /** Names of the text and date attributes, which are ignored. */
  readonly passedOver: readonly string[];
  /** The features of a row, whose cells were validated when it was read; NaN for a missing value. */
  values(cells: readonly string[], where: () => string): Float32Array;
}

interface Column {
  readonly name: string;
  readonly index: number;
  readonly value: (cell: string) => number;
}

/**
 * Converts attributes to features. Numeric attributes are used as they are, and so are nominal ones whose
 * values are all numbers. Any other nominal attribute becomes one feature per value: 1 if the row has
 * that value, 0 otherwise.
 *
 * @example
 * arffFeatures([{ name: 'soil', kind: 'nominal', values: ['clay', 'sand'] }], []).names // ['soil=clay', 'soil=sand']
 */
export function arffFeatures(attributes: readonly ArffAttribute[], others: readonly string[]): ArffFeatures {
  const used = attributes.flatMap((attribute, index) =>
    others.includes(attribute.name) ? [] : [{ ...attribute, index }],
  );
  const columns = used.flatMap<Column>(({ name, kind, values, index }) => {
    if (kind === 'numeric') return [{ name, index, value: Number }];
    if (kind !== 'nominal') return [];
    if (values.every((value) => value.trim() !== '' && Number.isFinite(Number(value))))
      return [{ name, index, value: Number }];
    return values.map((one) => ({
      name: `${name}=${one}`,
      index,
      value: (cell: string) => (cell === one ? 1 : 0),
    }));
  });
  return {
    names: columns.map(({ name }) => name),
    passedOver: used.filter(({ kind }) => kind === 'string' || kind === 'date').map(({ name }) => name),
    values: (cells, where) =>
      Float32Array.from(columns, ({ name, index, value }) => {
        const cell = cells[index]!;
        return cell === '' ? Number.NaN : narrowed(value(cell), cell, name, where);
      }),
  };
}
