// Why the pictures of a run cannot be shown, where it is the same for all of them.

import { signal } from '@preact/signals';

const problem = signal<{ readonly run: string; readonly text: string } | undefined>(undefined);

/** Runs that are asked about: one image speaks for those that fail with it, and handles move faster than answers come. */
const asking = new Set<string>();

/** What keeps the pictures of a run from being shown, if anything is known. */
export function pictureProblem(run: string): string | undefined {
  return problem.value?.run === run ? problem.value.text : undefined;
}

/**
 * Asks why a picture did not come; what one image lacks does not hide the others.
 *
 * @example
 * <img src={source} onError={() => void notePicture(run, source)} />
 */
export async function notePicture(run: string, source: string): Promise<void> {
  if (pictureProblem(run) !== undefined || asking.has(run)) return;
  asking.add(run);
  const answer = await fetch(source).finally(() => asking.delete(run));
  if (answer.ok) return;
  const body: { detail?: string } = await answer.json().catch(() => ({}));
  if (body.detail !== undefined && !/^this image|has no image/.test(body.detail))
    problem.value = { run, text: body.detail };
}
