// If one rank fails, all stop with its reason. The failed rank leaves a note and disconnects; the others, on
// losing the connection, find the note.

import { setTimeout as sleep } from 'node:timers/promises';
import { distributed } from '@anyclass/torch';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { Ranks } from './ranks.js';

interface Failure {
  readonly rank: number;
  readonly message: string;
}

const key = 'failure';
/** How long the first rank, which serves the notes, waits for the others to read them. */
const readingTime = 3000;
const lookEvery = 50;

/**
 * Does work that all ranks do together. If one throws, all fail; the others throw an error that names it.
 *
 * @example
 * await failingTogether(ranks, () => trainToEnd(session, run));
 */
export async function failingTogether<T>(ranks: Ranks | undefined, work: () => Promise<T>): Promise<T> {
  if (!ranks) return work();
  try {
    return await work();
  } catch (error) {
    const lost = lostConnection(error);
    if (lost) throw await explained(ranks, lost);
    await tellOthers(ranks, error);
    throw error;
  }
}

/** The error of a collective operation, inside any wrapping errors. */
function lostConnection(error: unknown): distributed.DistributedError | undefined {
  for (let at = distributed.asDistributedError(error); at instanceof Error; at = at.cause) {
    if (at instanceof distributed.DistributedError) return at;
  }
  return undefined;
}

async function tellOthers({ rank, worldSize, isFirst, group }: Ranks, error: unknown): Promise<void> {
  const failure: Failure = { rank, message: messageOf(error) };
  try {
    if (group.note(key) === undefined) group.leaveNote(key, JSON.stringify(failure));
  } catch {
    return; // the store is gone, and so is the first rank, which reports its own error
  }
  group.hangUp();
  if (!isFirst) return;
  const end = performance.now() + readingTime;
  const others = Array.from({ length: worldSize - 1 }, (_, i) => i + 1);
  while (performance.now() < end && !others.every((other) => group.note(`${key}/${other}`) !== undefined)) {
    await sleep(lookEvery);
  }
}

/** The error with the reason for the lost connection, if the failed rank could still leave it. */
async function explained({ rank, group }: Ranks, lost: distributed.DistributedError): Promise<UserError> {
  const found = await failureNote(group);
  try {
    group.hangUp();
    if (found && rank !== 0) group.leaveNote(`${key}/${rank}`, 'read');
  } catch {
    // nobody waits for it anymore
  }
  const message = found ? `rank ${found.rank} failed: ${found.message}` : lost.message;
  return new UserError(message, { code: 'rank-lost', cause: lost });
}

async function failureNote(group: distributed.ProcessGroup): Promise<Failure | undefined> {
  try {
    // A failed rank leaves its note before it disconnects; a killed one leaves none.
    const text = group.note(key);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
