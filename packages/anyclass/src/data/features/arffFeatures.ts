import type { ArffAttribute } from '../readers/arff.js';
import { narrowed } from './featureMatrix.js';

/** How the attributes of an ARFF file become a feature vector. */
export interface ArffFeatures {
  readonly names: readonly string[];
  /** Attributes of text and dates. */
  readonly passedOver: readonly string[];
  /** The features of a row, whose numbers and values were checked when it was read; NaN where one is missing. */
  values(cells: readonly string[], where: () => string): Float32Array;
}

interface Column {
  readonly name: string;
  readonly index: number;
  readonly value: (cell: string) => number;
}

/**
 * Numbers as they are; of nominal attributes the numbers that their values are, else a feature for each value, 1 where the row
 * has it.
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
