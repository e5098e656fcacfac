// Copies of training rows among those that a run's decision is fitted on. The network has learned them, so they score unlike
// new rows, and a promise cannot rest on them.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import { z } from 'zod';
import { counted, inflected } from '../errors/counted.js';
import { readWhole, writeWhole } from '../files/wholeFile.js';
import type { RunPaths } from './runFolder.js';

/** Scores, and the names of the rows that a decision does not rest on. */
export interface ScoresWithCopies extends Scored {
  readonly names: readonly string[];
  readonly copies?: ReadonlySet<string> | undefined;
  readonly uncalibrated?: Scored['scores'] | undefined;
}

/**
 * Returns the names of the rows whose contents a known row has that is not one of them.
 *
 * @example
 * copiesAmong(['v1', 'v2'], { names: ['t1', 'v1', 'v2'], hashes: ['0f', '91', '0f'] }) // Set { 'v2' }
 */
export function copiesAmong(
  fitting: readonly string[],
  {
    names,
    hashes = [],
  }: { readonly names: readonly string[]; readonly hashes?: readonly string[] | undefined },
): Set<string> {
  const own = new Set(fitting);
  const others = new Set(hashes.filter((hash, row) => hash !== '' && !own.has(names[row]!)));
  return new Set(names.filter((name, row) => own.has(name) && others.has(hashes[row] ?? '')));
}

/**
 * Returns the scores that a decision may rest on.
 *
 * @example
 * fitDecision(withoutCopies(await runScores('runs/sewer', 'validation')))
 */
export function withoutCopies<Rows extends ScoresWithCopies>(scored: Rows): Rows {
  const { names, copies, scores, uncalibrated, targets, groups, presence, classNames } = scored;
  if (copies === undefined) return scored;
  const kept = Array.from(names.keys()).filter((row) => !copies.has(names[row]!));
  const ofRows = <Value>(values: ArrayLike<Value>): Value[] => kept.map((row) => values[row]!);
  const ofClasses = (values: ArrayLike<number>): Float64Array => {
    const taken = new Float64Array(kept.length * classNames.length);
    for (const [to, row] of kept.entries())
      for (let j = 0; j < classNames.length; j++)
        taken[to * classNames.length + j] = values[row * classNames.length + j]!;
    return taken;
  };
  return {
    ...scored,
    names: ofRows(names),
    scores: ofClasses(scores),
    targets: ofClasses(targets),
    copies: undefined,
    ...(uncalibrated && { uncalibrated: ofClasses(uncalibrated) }),
    ...(groups && { groups: ofRows(groups) }),
    ...(presence && { presence: Float64Array.from(ofRows(presence)) }),
  };
}

/** Says that a decision does not rest on the copies; empty without any. */
export function copiesText({ copies, names }: ScoresWithCopies, split: string): string[] {
  if (copies === undefined) return [];
  const { size } = copies;
  return [
    `${size.toLocaleString('en-US')} of ${counted(names.length, `${split} row`)} ${inflected(size, 'is a copy', 'are copies')} of rows that the model was trained on or chosen by; the decision does not rest on ${inflected(size, 'it', 'them')}`,
  ];
}

/** Writes them into a run folder, if there are any. */
export function writeCopies({ scores }: RunPaths, copies: ReadonlySet<string> | undefined): void {
  const file = copiesFile(scores);
  if (copies === undefined) rmSync(file, { force: true });
  else writeWhole(file, `${JSON.stringify([...copies], null, 2)}\n`);
}

/** Reads them; undefined if there are none. */
export function readCopies({ scores }: Pick<RunPaths, 'scores'>): ReadonlySet<string> | undefined {
  const file = copiesFile(scores);
  if (!existsSync(file)) return undefined;
  return new Set(readWhole(file, z.array(z.string()), 'resume the run to rewrite it'));
}

function copiesFile(scores: string): string {
  return join(scores, 'copies.json');
}
