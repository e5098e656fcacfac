// The saved scores of runs, kept in memory for the runs that were asked for last, and sent as raw numbers.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ScoresHeader } from '@anyclass/studio';
import { UserError } from '../errors/userError.js';
import { openRun } from '../runs/runFolder.js';
import { type RunScores, savedScores } from '../runs/runScores.js';
import type { FoundRun } from './findRuns.js';
import { type Folder, realBelow } from './folders.js';

export type ScoredSplit = 'validation' | 'test' | 'decision';

export interface ScoreTables {
  /**
   * The scores of a run on a split, calibrated as its model calibrates them.
   *
   * @throws UserError if it has none
   */
  read(run: FoundRun, split: ScoredSplit): Promise<RunScores>;
  /** Whether there are scores for a split. */
  has(run: FoundRun, split: ScoredSplit): boolean;
}

/** Tables that are kept; one of 100,000 rows and 17 classes takes 30 MB. */
const mostKept = 4;

export function scoreTables(folders: readonly Folder[]): ScoreTables {
  const kept = new Map<string, Promise<RunScores>>();
  const filesOf = ({ path }: FoundRun, split: ScoredSplit) =>
    [`${split}.csv`, `${split}-labels.csv`].map((name) => realBelow(folders, join(path, 'scores', name)));
  return {
    has: (run, split) => filesOf(run, split).every((file) => file !== undefined),
    async read(run, split) {
      const files = filesOf(run, split);
      const stamps = files.map((file) => {
        if (file === undefined)
          throw new UserError(
            `${run.id}: no scores of its ${split} split; they are saved when the run finishes`,
          );
        const { size, mtimeMs } = statSync(file);
        return `${size} ${mtimeMs}`;
      });
      const key = [run.path, split, ...stamps].join('\n');
      const known = kept.get(key) ?? load(run, split);
      kept.delete(key);
      kept.set(key, known);
      for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old);
      known.catch(() => kept.delete(key));
      return known;
    },
  };
}

async function load({ id, path }: FoundRun, split: ScoredSplit): Promise<RunScores> {
  const { paths, record } = openRun(path);
  const scored = await savedScores(paths, record, split);
  if (!scored) throw new UserError(`${id}: its ${split} split has no labels`);
  return scored;
}

/**
 * Returns a table as bytes: see `ScoresHeader`.
 *
 * @example
 * reply.type('application/octet-stream').send(scoreBytes(scored));
 */
export function scoreBytes(scored: RunScores, classImportance?: readonly number[]): Buffer {
  const { scores, targets, presence, groups, classNames, split = 'validation' } = scored;
  const isWhole = Array.prototype.every.call(
    targets,
    (value: number) => value === 0 || value === 1 || Number.isNaN(value),
  );
  const names = groups && [...new Set(Array.from(groups, String))];
  const header: ScoresHeader = {
    rows: scored.names.length,
    classNames,
    split,
    hasPresence: presence !== undefined,
    targets: isWhole ? 'int8' : 'float64',
    groups: names ?? null,
    classImportance: classImportance ?? null,
    rowNames: createHash('sha256').update(scored.names.join('\n')).digest('hex'),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Math.ceil((4 + text.length) / 8) * 8;
  const start = Buffer.alloc(length, 0x20);
  start.writeUInt32LE(length - 4);
  text.copy(start, 4);
  const codes = names && new Map(names.map((name, code) => [name, code]));
  const parts: ArrayBufferView[] = [
    Float64Array.from(scores),
    ...(presence ? [presence] : []),
    ...(codes && groups ? [Int32Array.from(groups, (group) => codes.get(String(group)) ?? 0)] : []),
    isWhole
      ? Int8Array.from(targets, (value) => (Number.isNaN(value) ? -1 : value))
      : Float64Array.from(targets),
  ];
  return Buffer.concat([
    start,
    ...parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}
