// The rows that a model and its decision know: those of training, of validation, and those held back for the decision. They are
// kept in the run folder, so that a copy of the data is recognized where the run, its table or its images were moved.

import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Decision, RowIdentities } from '@anyclass/core';
import { readCsv } from '../data/tables/csv.js';
import { UserError } from '../errors/userError.js';
import { unusualKind } from '../files/fileKind.js';
import { isRunFolder, openRun, type RunPaths, runPaths } from './runFolder.js';
import { fittingSplit, savedScores } from './runScores.js';
import { verifyScoreFile } from './scoreChecksums.js';
import { csvCell, writeCounted } from './scoreFiles.js';

/** Rows by name, with hashes of their contents, and their groups if the data has groups. */
export interface KnownRows extends RowIdentities {
  readonly names: readonly string[];
  readonly hashes?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Writes them into a run folder; returns the checksum of the file, for `writeScoreChecksums`. */
export function writeKnownRows(
  { knownRows }: Pick<RunPaths, 'knownRows'>,
  { names, hashes, groups }: KnownRows,
): Record<string, string> {
  function* lines(): Generator<string> {
    yield `Filename,content${groups ? ',group' : ''}\n`;
    for (const [row, name] of names.entries())
      yield `${[name, hashes?.[row] ?? '', ...(groups ? [groups[row]!] : [])].map(csvCell).join(',')}\n`;
  }
  return { [basename(knownRows)]: writeCounted(knownRows, lines()) };
}

/**
 * Reads them. Of a run of an earlier version these are the rows of its validation scores; undefined for a model file outside of
 * its run folder.
 *
 * @throws UserError if the file is not the one that the run wrote
 *
 * @example
 * sharedRows((await readKnownRows('runs/pipes')) ?? {}, { names: ['a.png'] }).rows // 1 if the run knows a.png
 */
export async function readKnownRows(model: string): Promise<RowIdentities | undefined> {
  const isFolder = isRunFolder(model);
  const paths = runPaths(isFolder ? model : dirname(model));
  if (existsSync(paths.knownRows)) return readRows(paths);
  return isFolder ? savedScores(paths, openRun(model).record, fittingSplit(paths)) : undefined;
}

/**
 * Returns the known rows with the hashes of some of them alone: copies of training rows in the run's own test split are no reason against a promise, those of
 * the rows that its decision was fitted on are.
 *
 * @example
 * hashedAmong(known, fitted.names).hashes // empty for rows of training
 */
export function hashedAmong<Rows extends RowIdentities>(
  known: Rows,
  names: readonly string[],
): Rows & { readonly hashes: readonly string[] } {
  const chosen = new Set(names);
  const hashes = Array.from(known.names ?? [], (name, row) =>
    chosen.has(name) ? (known.hashes?.[row] ?? '') : '',
  );
  return { ...known, hashes };
}

/**
 * What is said of rows that were judged, or fitted on, with a model file that does not say which rows it knows.
 *
 * @example
 * unknownRowsText('exported/site.onnx', decision.report)
 */
export function unknownRowsText(file: string, { guarantee, triage }: Decision['report']): string {
  const isPromised = guarantee.holds || triage?.guarantee.holds === true;
  const meaning = isPromised ? ', and the promise holds only if none is' : '';
  return `${basename(file)} does not hold which rows it was trained on or chosen by, so these rows may be among them${meaning}; to have them compared, name the run's folder instead, or put its known-rows.csv beside the file`;
}

async function readRows({ knownRows: path, scores }: RunPaths): Promise<KnownRows> {
  const damaged = (what: string) =>
    new UserError(`${path} ${what}; resume the run to write it anew`, { code: 'scores-damaged' });
  const found = statSync(path);
  const kind = found.isDirectory() ? 'a folder' : unusualKind(found);
  if (kind !== undefined) throw damaged(`is ${kind}, not a file`);
  verifyScoreFile(path, scores);
  const [names, hashes, groups]: [string[], string[], string[]] = [[], [], []];
  let header = '';
  await readCsv(
    path,
    (columns) => {
      header = columns.slice(0, 2).join(',');
      return ([name = '', hash = '', group]) => {
        names.push(name);
        hashes.push(hash);
        if (group !== undefined) groups.push(group);
      };
    },
    path,
  );
  if (header !== 'Filename,content') throw damaged('is not the list of rows that a run writes');
  if (names.length === 0) throw damaged('names no rows');
  return { names, hashes, ...(groups.length > 0 && { groups }) };
}
