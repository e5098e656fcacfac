import { fileProblem, isSystemError, remedyOf } from '@anyclass/files';

/**
 * Returns the message of any thrown value. System errors are put into words; the first failure comes first.
 *
 * @example
 * messageOf(error) // 'runs/sewer/metrics.jsonl: the disk is full; make room or choose another path'
 */
export function messageOf(thrown: unknown): string {
  if (isSuppressed(thrown)) return `${messageOf(thrown.suppressed)}; then: ${messageOf(thrown.error)}`;
  if (isSystemError(thrown) && fileProblem(thrown) !== thrown.message) {
    const place = placeOf(thrown);
    return `${place === undefined ? '' : `${place}: `}${fileProblem(thrown)}${remedyOf(thrown)}`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The file that an error is about: of a copy that finds no room, the one that was to be written. */
function placeOf(error: NodeJS.ErrnoException): string | undefined {
  const isOfTarget = error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EROFS';
  return isOfTarget && 'dest' in error ? String(error.dest) : error.path;
}

/** The first error, if disposal after it failed as well. */
export function firstError(thrown: unknown): unknown {
  return isSuppressed(thrown) ? firstError(thrown.suppressed) : thrown;
}

/** Whether `using` threw this because both the work and the disposal failed; Node 20 has no class for it. */
function isSuppressed(thrown: unknown): thrown is { readonly error: unknown; readonly suppressed: unknown } {
  return (
    thrown instanceof Error &&
    thrown.name === 'SuppressedError' &&
    'error' in thrown &&
    'suppressed' in thrown
  );
}

/** Returns the message of an unknown thrown value as one line. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/\s*\n\s*/g, '; ')
    .trim();
}
