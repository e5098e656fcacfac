// Images that have no labels yet: hard negatives, what to label next, audits of the field.

import { useEffect, useState } from 'preact/hooks';
import { Layers } from '../../parts/Picture.js';
import { address, go } from '../../state/address.js';
import { ask, attempt, sourceOf } from '../../state/server.js';
import type { QueueEntry, QueueItem } from '../../wire/mend.js';
import { type LookItem, listItems } from '../look/lookItem.js';
import { Desk, type Work } from './Desk.js';
import { useSaving } from './saving.js';

export function Queue({ run, queue }: { readonly run: string; readonly queue: string }) {
  const saving = useSaving(run, queue);
  const [items, setItems] = useState<readonly QueueItem[]>();
  useEffect(() => {
    const aborted = new AbortController();
    void attempt(async () => {
      const answer = await ask<{ items: QueueItem[] }>('mend/queue', { queue }, aborted.signal);
      if (!aborted.signal.aborted) setItems(answer.items);
    });
    return () => aborted.abort();
  }, [queue]);
  const list = (items ?? []).map(
    ({ name, title, note }): LookItem => ({
      name,
      split: '',
      labels: [],
      unknown: [],
      note: note || title,
    }),
  );
  const work: Work = {
    items: listItems(list),
    pending: items === undefined ? 'Reading…' : undefined,
    hasHeat: false,
    imageOf: ({ name }) =>
      items?.find((item) => item.name === name)?.hasImage === false ? (
        <p class="quiet empty">No image was kept; look it up by its name.</p>
      ) : (
        <Layers image={sourceOf('mend/image', { queue, name, side: 640 })} name={name} />
      ),
    scoreOf: () => undefined,
  };
  return (
    <>
      <div class="mend-bar">
        <QueueChoice />
      </div>
      {saving ? (
        <Desk work={work} saving={saving}>
          <p class="small quiet">
            Labels go to <bdi>{saving.file}</bdi>.
          </p>
        </Desk>
      ) : (
        <p class="quiet empty">Reading…</p>
      )}
    </>
  );
}

const kinds: Readonly<Record<QueueEntry['kind'], string>> = {
  mine: 'hard negatives',
  select: 'to label next',
  audit: 'audits of the field',
};

export function QueueChoice() {
  const [queues, setQueues] = useState<readonly QueueEntry[]>([]);
  useEffect(() => {
    void attempt(async () => setQueues(await ask<QueueEntry[]>('mend/queues')));
  }, []);
  return (
    <span class="choice">
      <label for="queue">Queue</label>
      <select
        id="queue"
        value={address.value.get('queue') ?? ''}
        onChange={(event) => go({ queue: event.currentTarget.value, image: null })}
      >
        <option value="">images of the run</option>
        {queues.map(({ id, kind, count }) => (
          <option key={id} value={id}>
            {kinds[kind]}: {id} ({count})
          </option>
        ))}
      </select>
    </span>
  );
}
