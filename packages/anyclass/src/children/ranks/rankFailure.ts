// How a rank tells the process that launched it why it ended: that one prints one message for all of them.

import { EngineError } from '@anyclass/torch/builds';
import { UserError } from '../../errors/userError.js';

/** Set for processes that report their errors to the one that launched them. */
export const launcherVariable = 'ANYCLASS_LAUNCHER';

export interface RankFailure {
  readonly kind: 'rank failure';
  /** As the program would print it. */
  readonly lines: readonly string[];
  readonly exitCode: number;
  /** Of a UserError. */
  readonly code?: string | undefined;
  /** Whether it would happen again: what the user gave is wrong, or can be fixed only by the user. */
  readonly isMistake: boolean;
}

/**
 * Hands an error to the launcher; false where there is none, and the error is to be printed.
 *
 * @example
 * if (!toldLauncher(error, lines, 1)) for (const line of lines) terminal.note(line);
 */
export function toldLauncher(error: unknown, lines: readonly string[], exitCode: number): boolean {
  if (process.env[launcherVariable] === undefined || !process.connected) return false;
  const code = error instanceof UserError ? error.code : undefined;
  const isMistake = error instanceof EngineError || (error instanceof UserError && code !== 'rank-lost');
  const failure: RankFailure = { kind: 'rank failure', lines, exitCode, code, isMistake };
  process.send?.(failure, () => {});
  return true;
}

export function isRankFailure(message: unknown): message is RankFailure {
  return (
    typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'rank failure'
  );
}
