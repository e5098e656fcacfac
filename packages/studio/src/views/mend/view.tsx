// Mends labels by keyboard: of a run's own images, and of queues.

import { NoRun } from '../../parts/NoRun.js';
import { Picture } from '../../parts/Picture.js';
import { address } from '../../state/address.js';
import { chosenRun } from '../../state/runs.js';
import { FilterBar } from '../look/FilterBar.js';
import { useLook } from '../look/items.js';
import { SealedImages } from '../look/SealedImages.js';
import { Desk, type Work } from './Desk.js';
import { Exchange } from './Exchange.js';
import { Queue, QueueChoice } from './Queue.js';
import { Retrain } from './Retrain.js';
import { useSaving } from './saving.js';

export function MendView() {
  const run = chosenRun.value;
  return run ? <Mend key={run.id} run={run.id} /> : <NoRun />;
}

function Mend({ run }: { readonly run: string }) {
  const queue = address.value.get('queue') ?? undefined;
  return (
    <section class="mend-view">
      <h1 class="hidden-text">Labels of {run}</h1>
      {queue === undefined ? <OwnImages run={run} /> : <Queue key={queue} run={run} queue={queue} />}
    </section>
  );
}

function OwnImages({ run }: { readonly run: string }) {
  const look = useLook();
  const saving = useSaving(run, undefined);
  if (!look || !saving) return <p class="quiet empty">Reading…</p>;
  if (look.sealed.length > 0) return <SealedImages look={look} />;
  const table = look.table.state === 'ready' ? look.table.value : undefined;
  const work: Work = {
    items: look.items,
    pending: look.pending,
    hasHeat: true,
    imageOf: ({ name }, heat) => <Picture run={run} name={name} side={640} heat={heat} />,
    scoreOf: ({ row }, className) =>
      table && row !== undefined
        ? table.scores[row * table.classes.length + table.classes.indexOf(className)]
        : undefined,
  };
  return (
    <>
      <div class="mend-bar">
        <QueueChoice />
        <FilterBar look={look} />
      </div>
      <Desk work={work} saving={saving}>
        <Exchange
          run={run}
          author={saving.author}
          names={() => Array.from({ length: look.items.count }, (_, i) => look.items.at(i).name)}
          onImported={saving.imported}
        />
        <Retrain run={run} count={saving.saved.size} />
      </Desk>
    </>
  );
}
