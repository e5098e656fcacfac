// How a rank tells its launcher why it failed, so that the launcher can print one message for all ranks.

import { EngineError } from '@anyclass/torch/builds';
import { UserError } from '../../errors/userError.js';
import { launcherVariable } from '../messages.js';

export interface RankFailure {
  readonly kind: 'rank failure';
  /** As the program would print it. */
  readonly lines: readonly string[];
  readonly exitCode: number;
  /** Code of a UserError. */
  readonly code?: string | undefined;
  /** Whether it would happen again, because only the user can fix it. */
  readonly isMistake: boolean;
}

/**
 * Sends an error to the launcher. Returns false if there is none; the caller must then print the error.
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
