import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RunSummary } from '../../events/runSummary.js';
import { openRun, type RunRecord, runPaths } from '../../runs/runFolder.js';
import { readSummary } from '../../runs/summary.js';

/** A finished run, and what it is called beside others. */
export interface OtherRun {
  readonly name: string;
  readonly summary: RunSummary;
}

/** More would take seconds to read in a folder of a large experiment. */
const mostRead = 50;

/**
 * Finds the run to compare a run with: the last one that started before it, in the same folder, on the same data, classes
 * and splits.
 *
 * @example
 * previousRun('runs/sewer-2', openRun('runs/sewer-2').record)?.name // 'sewer-1'
 */
export function previousRun(
  folder: string,
  { datasetFingerprint, started }: RunRecord,
): OtherRun | undefined {
  const own = resolve(folder);
  const beside = dirname(own);
  const finished = readdirSync(beside)
    .map((name) => ({ name, path: join(beside, name) }))
    .filter(({ path }) => path !== own && existsSync(runPaths(path).summary))
    .map((run) => ({ ...run, time: statSync(runPaths(run.path).summary).mtimeMs }))
    .sort((a, b) => b.time - a.time)
    .slice(0, mostRead);
  const found = finished
    .flatMap(({ path }) => readable(path))
    .filter(({ record }) => record.datasetFingerprint === datasetFingerprint && record.started < started)
    .sort((a, b) => (a.record.started < b.record.started ? 1 : -1))[0];
  return found && { name: basename(found.path), summary: found.summary };
}

/** A neighbor that cannot be read must not keep a run from its report. */
function readable(path: string): { path: string; record: RunRecord; summary: RunSummary }[] {
  try {
    const { paths, record } = openRun(path);
    return [{ path, record, summary: readSummary(paths) }];
  } catch {
    return [];
  }
}
