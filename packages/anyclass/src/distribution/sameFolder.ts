// Finds out which ranks see the same folder: those on one machine if the disk is local, all if it is shared.

import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedError } from '@anyclass/files';
import { fromFirst } from './exchange.js';
import type { Ranks } from './ranks.js';

/** This process among the ranks that see the same folder. */
export interface FolderTeam extends Pick<Ranks, 'rank' | 'worldSize' | 'isFirst'> {
  /** The members' numbers among all ranks. */
  readonly members: readonly number[];
}

/**
 * Finds out which ranks see a folder, which must exist. Every rank leaves a mark there, then looks for marks.
 *
 * @example
 * const team = await teamOfFolder(ranks, '.anyclass/cache');
 * shareOf(rows, team) // the rows that this rank prepares there
 */
export async function teamOfFolder(ranks: Ranks, folder: string): Promise<FolderTeam> {
  // A killed process leaves its mark behind, which must not count next time.
  const token = await fromFirst(ranks, () => randomUUID());
  const prefix = `.rank-${token}-`;
  const own = join(folder, `${prefix}${ranks.rank}`);
  try {
    writeFileSync(own, '');
    await ranks.group.barrier().finished();
    const members = readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((a, b) => a - b);
    await ranks.group.barrier().finished();
    const rank = members.indexOf(ranks.rank);
    return { members, rank, worldSize: members.length, isFirst: rank === 0 };
  } catch (error) {
    throw namedError(folder, error);
  } finally {
    rmSync(own, { force: true });
  }
}
