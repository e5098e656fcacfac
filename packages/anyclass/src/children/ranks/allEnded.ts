import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LaunchOutcome, outcomeOf } from './rankEnds.js';
import type { RankEnd } from './rankProcess.js';

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<RankEnd>;
}

interface Ending<Process> {
  /** How long the others have to exit by themselves after one has failed. */
  readonly graceMilliseconds: number;
  numberOf(process: Process): number;
  /** Kills a process that is still running after that. */
  end(process: Process): void;
}

/** Waits for all processes to exit. After a failure, the others have a grace period to exit by themselves. */
export async function allEnded<Process extends Started>(
  processes: readonly Process[],
  { graceMilliseconds, numberOf, end }: Ending<Process>,
): Promise<LaunchOutcome> {
  const ends: RankEnd[] = [];
  const killed = new Set<number>();
  const waiting = processes.map(async ({ ended }) => {
    const own = await ended;
    ends.push(own);
    if (own.code !== 0) throw own;
  });
  const all = Promise.allSettled(waiting);
  await Promise.all(waiting).catch(async () => {
    const isOver = await Promise.race([
      all.then(() => true),
      sleep(graceMilliseconds, false, { ref: false }),
    ]);
    if (isOver) return;
    for (const process of processes) {
      if (process.child.exitCode !== null || process.child.signalCode !== null) continue;
      killed.add(numberOf(process));
      end(process);
    }
  });
  await all;
  return outcomeOf(ends, killed);
}
