// What can be done to a run.

import { notify } from '../state/notices.js';
import { attempt, send } from '../state/server.js';
import type { RunRow } from '../wire/runs.js';

export function RunActions({ row }: { readonly row: RunRow }) {
  const { id, state, isArchived, resume } = row;
  const isLive = state === 'running' || state === 'starting';
  return (
    <span class="row-actions">
      {isLive && (
        <button
          type="button"
          class="button quiet-button"
          onClick={() => act(id, 'stop', 'is saving a checkpoint and stops')}
        >
          Stop
        </button>
      )}
      {resume !== '' && (
        <button type="button" class="button quiet-button" onClick={() => copied(resume)} title={resume}>
          Copy resume
        </button>
      )}
      {!isLive && (
        <button
          type="button"
          class="button quiet-button"
          onClick={() => (isArchived ? act(id, 'restore', 'is back') : act(id, 'archive', 'is archived'))}
        >
          {isArchived ? 'Restore' : 'Archive'}
        </button>
      )}
      {!isLive && (
        <button type="button" class="button quiet-button" onClick={() => deleted(id)}>
          Delete
        </button>
      )}
    </span>
  );
}

function act(run: string, action: string, done: string): void {
  void attempt(async () => {
    await send(`run/${action}`, { run });
    notify(`${run} ${done}`);
  });
}

function deleted(run: string): void {
  void attempt(async () => {
    const { place } = await send<{ place: string }>('run/delete', { run });
    notify(`${run} was moved to ${place}`);
  });
}

/** Copies a command; a page that may not is told so. */
export function copied(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => notify(`Copied: ${text}`),
    () => notify(`Copying is blocked; the command is: ${text}`, { isProblem: true }),
  );
}
