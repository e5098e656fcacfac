// Corrected labels, laid over those of a dataset, whose own files stay as they are.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { nearestOrAll } from '../../errors/nearest.js';
import { shownPath } from '../../files/shownPath.js';
import type { DatasetTable } from '../dataset/dataset.js';
import { replaceTargets, type TargetChange } from '../dataset/labelMatrix.js';
import type { NameTable } from '../dataset/nameTable.js';
import { readCsv } from '../tables/csv.js';
import { targetIn, UNCERTAIN, type UncertainPolicy, uncertainTarget } from '../tables/labelCells.js';
import { specialColumns } from '../tables/tableLayout.js';

export interface CorrectionOptions {
  /** How -1 is read. Default `ignore`: as unknown. */
  readonly uncertain?: UncertainPolicy | undefined;
  /** Whether the dataset was read with some of its classes only; corrections of others then have no effect. */
  readonly isPartial: boolean;
}

/**
 * Replaces labels of a dataset by those in a CSV file with the columns of an image's name, `class`, and `label` (0, 1, a
 * number in between, empty for unknown, or -1 for uncertain), one row per label.
 *
 * @throws DataError if the file names an image or a class that the dataset does not have, or contradicts itself
 *
 * @example
 * (await withCorrections(table, 'corrections.csv', { isPartial: false })).corrections // { file: 'corrections.csv', labels: 3, images: 2, changed: 3 }
 */
export async function withCorrections(
  table: DatasetTable,
  path: string,
  { uncertain = 'ignore', isPartial }: CorrectionOptions,
): Promise<DatasetTable> {
  if (!existsSync(path)) throw new DataError(`data.corrections: no such file '${shownPath(path)}'`);
  const file = basename(path);
  const rowOf = rowsByName(table.names, file);
  const classOf = new Map(table.classes.map((name, j) => [name, j]));
  const changes = new Map<number, Map<number, TargetChange & { readonly line: number }>>();
  await readCsv(path, (columns) => {
    const places = columnPlaces(columns, file);
    return (cells, line) => {
      const where = `${file}, line ${line}`;
      const name = cells[places.image]!.trim();
      const row = rowOf.get(name);
      if (row === undefined) throw new DataError(`${where}: ${table.name} has no image '${name}'`);
      const className = cells[places.class]!.trim();
      const classIndex = classOf.get(className);
      const target = targetIn(cells[places.label]!);
      if (target === undefined) {
        throw new DataError(
          `${where}: label '${cells[places.label]}'; expected 0 to 1, empty for unknown, or -1 for uncertain`,
        );
      }
      if (classIndex === undefined) {
        if (isPartial) return;
        throw new DataError(
          `${where}: ${table.name} has no class '${className}'; ${nearestOrAll(className, table.classes, 'the classes are')}`,
        );
      }
      const isUncertain = target === UNCERTAIN;
      const change = { target: isUncertain ? uncertainTarget(uncertain) : target, isUncertain, line };
      const ofRow = changes.get(row) ?? changes.set(row, new Map()).get(row)!;
      const before = ofRow.get(classIndex);
      if (before && !(Object.is(before.target, change.target) && before.isUncertain === isUncertain)) {
        throw new DataError(
          `${where}: '${className}' of '${name}' has another label in line ${before.line}; remove one of them`,
        );
      }
      ofRow.set(classIndex, change);
    };
  });
  const all = [...changes].flatMap(([row, ofRow]) =>
    [...ofRow].map(([j, { target }]) => ({ row, j, target })),
  );
  return {
    ...table,
    labels: replaceTargets(table.labels, changes),
    corrections: {
      file,
      labels: all.length,
      images: changes.size,
      changed: all.filter(({ row, j, target }) => !Object.is(table.labels.at(row, j), Math.fround(target)))
        .length,
    },
  };
}

function columnPlaces(columns: readonly string[], file: string) {
  const { image } = specialColumns(columns, { ignoreColumns: ['class', 'label'] });
  const places = {
    image: image === undefined ? -1 : columns.indexOf(image),
    class: columns.indexOf('class'),
    label: columns.indexOf('label'),
  };
  if (Object.values(places).every((place) => place >= 0)) return places;
  throw new DataError(
    `${file}, line 1: expected the columns image, class, label (data.corrections); the columns are ${columns.join(', ')}`,
  );
}

function rowsByName(names: NameTable, file: string): Map<string, number> {
  const repeated = names.firstRows()?.findIndex((first, row) => first !== row);
  if (repeated !== undefined && repeated >= 0) {
    throw new DataError(
      `two rows of the dataset are called '${names.at(repeated)}', so ${file} (data.corrections) cannot refer to them; give each its own name`,
    );
  }
  return new Map(Array.from({ length: names.length }, (_, row) => [names.at(row), row]));
}
