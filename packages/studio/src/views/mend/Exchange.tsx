// Tasks for other labeling programs, and their answers back.

import { notify } from '../../state/notices.js';
import { attempt, send, sourceOf } from '../../state/server.js';
import type { SavedChange } from '../../wire/mend.js';

const mostNames = 20_000;

export function Exchange(props: {
  readonly run: string;
  readonly author: string;
  /** Names of the images that are shown. */
  readonly names: () => string[];
  readonly onImported: (changes: readonly SavedChange[]) => void;
}) {
  const { run, author, names, onImported } = props;
  const written = (to: 'label-studio' | 'cvat') =>
    attempt(async () => {
      const body = { to, names: names().slice(0, mostNames) };
      const { count, file } = await send<{ count: number; file: string }>('mend/export', { run }, body);
      notify(`${count} images for ${to === 'cvat' ? 'CVAT' : 'Label Studio'} in ${file}`);
    });
  const read = (file: File) =>
    attempt(async () => {
      const answer = await fetch(sourceOf('mend/import', { run, author }), { method: 'POST', body: file });
      const result: { changes?: SavedChange[]; detail?: string } = await answer.json();
      if (!answer.ok || !result.changes)
        throw new Error(result.detail ?? `the server answered ${answer.status}`);
      notify(`${answersText(result.changes.length)} of ${file.name} saved; z takes them back`);
      onImported(result.changes);
    });
  return (
    <details class="small">
      <summary>Label Studio, CVAT</summary>
      <p>
        <button type="button" class="button quiet-button" onClick={() => written('label-studio')}>
          Write tasks for Label Studio
        </button>
        <button type="button" class="button quiet-button" onClick={() => written('cvat')}>
          Write a folder for CVAT
        </button>
      </p>
      <label>
        Take over answers{' '}
        <input
          type="file"
          accept=".json,.xml"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (file) void read(file);
          }}
        />
      </label>
    </details>
  );
}

function answersText(count: number): string {
  return count === 1 ? '1 answer' : `${count} answers`;
}
