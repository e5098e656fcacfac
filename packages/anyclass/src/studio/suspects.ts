// Labels that a run's model contradicts, with the names that the page shows.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Suspects } from '@anyclass/studio';
import type { Dataset } from '../data/dataset/dataset.js';
import { labelSuspects } from '../inspect/labelSuspects.js';
import type { NamedTable } from '../runs/namedTable.js';
import { runPaths } from '../runs/runFolder.js';
import { readTable } from '../runs/scoreFiles.js';
import { type Folder, realBelow } from './folders.js';
import type { RunData } from './runData.js';
import { testSeen } from './testSeals.js';

/**
 * Finds the doubtful labels of a run's data, those that cost most first. What the model says about test images counts only if test is open.
 *
 * @example
 * (await suspectsOf(run.path, data, folders)).suspects[0]?.kind // 'missing'
 */
export async function suspectsOf(path: string, data: RunData, folders: readonly Folder[]): Promise<Suspects> {
  const { scores, margins } = runPaths(path);
  const read = (file: string): Promise<NamedTable> | undefined =>
    existsSync(file) && realBelow(folders, file) !== undefined ? readTable(file) : undefined;
  const splitOf = new Map<string, string>();
  const tables: NamedTable[] = [];
  const hasTest = existsSync(join(scores, 'test.csv'));
  const isTestSealed = hasTest && testSeen(path) === null;
  for (const split of ['validation', 'decision', ...(isTestSealed ? [] : ['test'])]) {
    const table = await read(join(scores, `${split}.csv`));
    if (!table) continue;
    tables.push(table);
    for (const name of table.names) splitOf.set(name, split);
  }
  const trained = await read(margins);
  for (const name of trained?.names ?? []) splitOf.set(name, 'train');
  const { dataset } = data;
  const all = { train: Int32Array.from({ length: dataset.names.length }, (_, row) => row) };
  const none = new Int32Array();
  const found = labelSuspects(
    { ...dataset, splits: { ...all, validation: none, test: none, decision: none } },
    tables,
    trained,
  );
  return {
    isTestSealed,
    suspects: found.map(({ row, name, labels, class: className, kind, score }) => ({
      name,
      split: splitOf.get(name) ?? '',
      labels,
      unknown: unknownAt(dataset, row),
      class: className,
      kind,
      score,
    })),
  };
}

/** Classes of which the data does not say whether a row has them. */
export function unknownAt({ classes, labels }: Dataset, row: number): string[] {
  return classes.filter((_, j) => Number.isNaN(labels.at(row, j)));
}
