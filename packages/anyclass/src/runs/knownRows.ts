// The rows that a model and its decision know: those of training, of validation, and those held back for the decision. They are
// kept in the run folder, so that a copy of the data is recognized where the run, its table or its images were moved.

import { existsSync } from 'node:fs';
import type { RowIdentities } from '@anyclass/core';
import { readCsv } from '../data/tables/csv.js';
import { writeWhole } from '../files/wholeFile.js';
import { isRunFolder, openRun, type RunPaths } from './runFolder.js';
import { fittingSplit, savedScores } from './runScores.js';
import { csvCell } from './scoreFiles.js';

/** Rows by name, with hashes of their contents, and their groups if the data has groups. */
export interface KnownRows extends RowIdentities {
  readonly names: readonly string[];
  readonly hashes?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Writes them into a run folder. */
export function writeKnownRows(
  { knownRows }: Pick<RunPaths, 'knownRows'>,
  { names, hashes, groups }: KnownRows,
): void {
  function* lines(): Generator<string> {
    yield `Filename,content${groups ? ',group' : ''}\n`;
    for (const [row, name] of names.entries())
      yield `${[name, hashes?.[row] ?? '', ...(groups ? [groups[row]!] : [])].map(csvCell).join(',')}\n`;
  }
  writeWhole(knownRows, lines());
}

/**
 * Reads them. Of a run of an earlier version these are the rows of its validation scores; undefined for a model file without its
 * run.
 *
 * @example
 * sharedRows((await readKnownRows('runs/pipes')) ?? {}, { names: ['a.png'] }).rows // 1 if the run knows a.png
 */
export async function readKnownRows(model: string): Promise<RowIdentities | undefined> {
  if (!isRunFolder(model)) return undefined;
  const { paths, record } = openRun(model);
  const { knownRows: path } = paths;
  if (!existsSync(path)) return savedScores(paths, record, fittingSplit(paths));
  const [names, hashes, groups]: string[][] = [[], [], []];
  await readCsv(
    path,
    ({ length }) =>
      ([name = '', hash = '', group = '']) => {
        names!.push(name);
        hashes!.push(hash);
        if (length > 2) groups!.push(group);
      },
    path,
  );
  return { names: names!, hashes: hashes!, ...(groups!.length > 0 && { groups: groups! }) };
}
