// Combines how the ranks exited into one outcome, with one reason: that of the rank that caused the failure.

import type { RankEnd } from './rankProcess.js';

export type LaunchOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'interrupted'; readonly lines: readonly string[]; readonly exitCode: number }
  | {
      readonly kind: 'failed';
      readonly lines: readonly string[];
      readonly exitCode: number;
      /** Error code of the rank that failed first. */
      readonly code?: string | undefined;
      /** Whether another attempt may succeed. */
      readonly isWorthRestart: boolean;
    };

/**
 * Returns the outcome of ranks that have all exited.
 *
 * @param killed ranks that we killed because they did not exit by themselves
 *
 * @example
 * outcomeOf([{ rank: 0, signal: 'SIGKILL', … }, { rank: 1, failure: connectionLost, … }], new Set())
 * // { kind: 'failed', lines: ['rank 0 (process 4711) was killed by SIGKILL'], … }
 */
export function outcomeOf(ends: readonly RankEnd[], killed: ReadonlySet<number>): LaunchOutcome {
  const bad = ends.filter(({ code }) => code !== 0);
  if (bad.length === 0) return { kind: 'finished' };
  const own = bad.filter(({ rank }) => !killed.has(rank));
  const asked = [...own].sort((a, b) => a.rank - b.rank).find(isInterrupted);
  if (asked && own.every((end) => isInterrupted(end) || end.failure?.code === 'rank-lost'))
    return { kind: 'interrupted', lines: asked.failure?.lines ?? [], exitCode: asked.code ?? 130 };
  // Ranks that only lost others say the least; the cause is one that made a mistake or died without a report.
  const [first] = [...(own.length > 0 ? own : bad)].sort((a, b) => weight(a) - weight(b) || a.at - b.at);
  const silent = bad.filter(({ rank }) => killed.has(rank)).map(nameOf);
  const hung = silent.length > 0 ? [`${silent.join(', ')} did not exit and was killed`] : [];
  return {
    kind: 'failed',
    lines: [...(first ? linesOf(first) : []), ...hung],
    exitCode: first?.failure?.exitCode ?? 1,
    ...(first?.failure?.code !== undefined && { code: first.failure.code }),
    isWorthRestart: !bad.some(({ failure }) => failure?.isMistake),
  };
}

function isInterrupted({ code, signal, failure }: RankEnd): boolean {
  return code === 130 || code === 143 || (!failure && (signal === 'SIGINT' || signal === 'SIGTERM'));
}

function weight({ failure }: RankEnd): number {
  if (failure?.isMistake) return 0;
  if (!failure) return 1;
  return failure.code === 'rank-lost' ? 3 : 2;
}

function nameOf({ rank, pid, name }: RankEnd): string {
  return name ?? `rank ${rank} (process ${pid})`;
}

function linesOf(end: RankEnd): readonly string[] {
  const { code, signal, failure, lastLines } = end;
  if (failure) return failure.lines;
  const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return [...lastLines, `anyclass: ${nameOf(end)} ${how}`];
}
