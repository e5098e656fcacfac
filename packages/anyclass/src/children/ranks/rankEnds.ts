// From how each rank ended to what is told of them all: one reason, that of the rank that failed first of itself.

import type { RankEnd } from './rankProcess.js';

export type LaunchOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'interrupted'; readonly lines: readonly string[]; readonly exitCode: number }
  | {
      readonly kind: 'failed';
      readonly lines: readonly string[];
      readonly exitCode: number;
      /** Of the rank that failed first. */
      readonly code?: string | undefined;
      /** Another attempt may do better. */
      readonly isWorthRestart: boolean;
    };

/**
 * What became of ranks that all have ended.
 *
 * @param killed ranks that we ended ourselves, for they did not by themselves
 *
 * @example
 * outcomeOf([{ rank: 0, signal: 'SIGKILL', … }, { rank: 1, failure: connectionLost, … }], new Set())
 * // { kind: 'failed', lines: ['rank 0 (process 4711) was ended by SIGKILL'], … }
 */
export function outcomeOf(ends: readonly RankEnd[], killed: ReadonlySet<number>): LaunchOutcome {
  const bad = ends.filter(({ code }) => code !== 0);
  if (bad.length === 0) return { kind: 'finished' };
  const own = bad.filter(({ rank }) => !killed.has(rank));
  const asked = [...own].sort((a, b) => a.rank - b.rank).find(isInterrupted);
  if (asked && own.every((end) => isInterrupted(end) || end.failure?.code === 'rank-lost'))
    return { kind: 'interrupted', lines: asked.failure?.lines ?? [], exitCode: asked.code ?? 130 };
  // Those that only lost others tell the least; those that died without a word, or of a mistake, are the cause.
  const [first] = [...(own.length > 0 ? own : bad)].sort((a, b) => weight(a) - weight(b) || a.at - b.at);
  const silent = bad.filter(({ rank }) => killed.has(rank)).map(nameOf);
  const hung = silent.length > 0 ? [`${silent.join(', ')} did not end by itself and was killed`] : [];
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
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  return [...lastLines, `anyclass: ${nameOf(end)} ${how}`];
}
