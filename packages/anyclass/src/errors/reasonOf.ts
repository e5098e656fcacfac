import { fileProblem, isSystemError, remedyOf } from '@anyclass/torch/files';

/**
 * The message of an unknown thrown value. Errors of the system come in words, and what went wrong first comes first.
 *
 * @example
 * messageOf(error) // 'runs/sewer/metrics.jsonl: the disk is full; make room or choose another path'
 */
export function messageOf(thrown: unknown): string {
  if (isSuppressed(thrown)) return `${messageOf(thrown.suppressed)}; then: ${messageOf(thrown.error)}`;
  if (isSystemError(thrown) && fileProblem(thrown) !== thrown.message) {
    const place = thrown.path === undefined ? '' : `${thrown.path}: `;
    return `${place}${fileProblem(thrown)}${remedyOf(thrown)}`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What went wrong first, where closing what was open went wrong as well. */
export function firstError(thrown: unknown): unknown {
  return isSuppressed(thrown) ? firstError(thrown.suppressed) : thrown;
}

/** What `using` throws where both the work and the disposal failed; Node 20 has no class for it. */
function isSuppressed(thrown: unknown): thrown is { readonly error: unknown; readonly suppressed: unknown } {
  return (
    thrown instanceof Error &&
    thrown.name === 'SuppressedError' &&
    'error' in thrown &&
    'suppressed' in thrown
  );
}

/** The reason in an unknown thrown value, as one line. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/\s*\n\s*/g, '; ')
    .trim();
}
