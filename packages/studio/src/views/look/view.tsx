// The images of a run: which negatives alarm, which positives are missed, and why.

import { useRef } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { pictureProblem } from '../../state/pictures.js';
import { Detail } from './Detail.js';
import { FilterBar } from './FilterBar.js';
import { shows } from './filters.js';
import { type LookItem, type LookState, useLook } from './items.js';
import { MapPanel } from './MapPanel.js';
import { SealedImages } from './SealedImages.js';
import { Tiles } from './Tiles.js';
import { labelsAt } from './table.js';

export function LookView() {
  const look = useLook();
  if (!look) {
    const id = address.value.get('run');
    return (
      <p class="quiet empty">{id === null ? 'There are no runs yet.' : `${id} is not there any more.`}</p>
    );
  }
  return <Looking look={look} />;
}

function Looking({ look }: { readonly look: LookState }) {
  const { items, filters, table, run } = look;
  const problem = pictureProblem(run);
  const state = address.value;
  const columns = useRef(1);
  const chosen = items.count === 0 ? -1 : Math.max(0, items.indexOf(state.get('image') ?? ''));
  const known = table.state === 'ready' ? table.value : undefined;
  const className = filters.classIndex === undefined ? undefined : known?.classes[filters.classIndex];
  const heat = state.get('heat') || undefined;
  const choose = (index: number) => {
    if (items.count === 0) return;
    go({ image: items.at(Math.max(0, Math.min(items.count - 1, index))).name }, 'replace');
  };
  const show = (by: number) => {
    const usable = shows.filter((each) => each !== 'differs' || state.get('against') !== null);
    const next = usable[(usable.indexOf(filters.show) + by + usable.length) % usable.length]!;
    go({ show: next, image: null });
  };
  useShortcuts([
    { key: 'ArrowRight', shown: '← →', text: 'image', act: () => choose(chosen + 1) },
    { key: 'ArrowLeft', act: () => choose(chosen - 1) },
    { key: 'ArrowDown', act: () => choose(chosen + columns.current) },
    { key: 'ArrowUp', act: () => choose(chosen - columns.current) },
    { key: 'PageDown', act: () => choose(chosen + 4 * columns.current) },
    { key: 'PageUp', act: () => choose(chosen - 4 * columns.current) },
    { key: 'Home', act: () => choose(0) },
    { key: 'End', act: () => choose(items.count - 1) },
    { key: ']', shown: '[ ]', text: 'what to show', act: () => show(1) },
    { key: '[', act: () => show(-1) },
    { key: 'm', text: 'mend labels', act: () => go({ view: 'mend' }) },
    {
      key: 'h',
      text: 'heat map',
      act: () => go({ heat: heat === undefined ? (className ?? 'presence') : null }, 'replace'),
    },
  ]);
  if (look.sealed.length > 0)
    return (
      <section class="look-view">
        <h1 class="hidden-text">Images of {run}</h1>
        <SealedImages look={look} />
      </section>
    );
  return (
    <section class="look-view">
      <h1 class="hidden-text">Images of {run}</h1>
      <FilterBar look={look} hasMap />
      {problem !== undefined && <p class="note">{problem}</p>}
      {state.get('map') === 'shown' && (
        <MapPanel
          run={run}
          chosen={chosen < 0 ? undefined : items.at(chosen).name}
          colorOf={(name) => colorOf(look, name)}
          legend={Object.entries(meanings).map(([tone, text]) => [colors[tone] ?? 'clear', text] as const)}
        />
      )}
      <div class="look-body">
        {items.count === 0 ? (
          <p class="quiet empty">{look.pending ?? 'No image is like this.'}</p>
        ) : (
          <Tiles
            run={run}
            items={items}
            chosen={chosen}
            onChoose={choose}
            onColumns={(count) => {
              columns.current = count;
            }}
            target={heat ?? className ?? 'presence'}
            isHot={heat !== undefined}
            toneOf={(item) => toneOf(look, item)}
          />
        )}
        {chosen >= 0 && <Detail run={run} item={items.at(chosen)} table={known} heat={heat} />}
      </div>
    </section>
  );
}

/** How the model's answer stands to the labels, as a color and a line below the image. */
function toneOf({ table }: LookState, { row, labels }: LookItem): string {
  if (table.state !== 'ready' || row === undefined) return '';
  const outcome = table.value.outcome[row];
  if (outcome === 1) return 'review';
  if (labels.length === 0) return outcome === 2 ? 'false-alarm' : 'quiet-tile';
  return outcome === 2 ? 'found' : 'missed-tile';
}

const colors: Readonly<Record<string, string>> = {
  review: 'review',
  'false-alarm': 'alarm',
  'quiet-tile': 'clear',
  found: 'found',
  'missed-tile': 'missed',
};

const meanings: Readonly<Record<string, string>> = {
  found: 'found',
  'missed-tile': 'missed',
  'false-alarm': 'false alarm',
  review: 'review',
  'quiet-tile': 'clear',
};

function colorOf(look: LookState, name: string): string {
  const table = look.table.state === 'ready' ? look.table.value : undefined;
  const row = table?.rowOf.get(name);
  if (!table || row === undefined) return 'clear';
  const tone = toneOf(look, { name, row, split: '', labels: labelsAt(table, row), unknown: [] });
  return colors[tone] ?? 'clear';
}
