// The images of a run: which negatives alarm, which positives are missed, and why.

import { useRef } from 'preact/hooks';
import { NoRun } from '../../parts/NoRun.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { pictureProblem } from '../../state/pictures.js';
import { Detail } from './Detail.js';
import { FilterBar } from './FilterBar.js';
import { shows } from './filters.js';
import { type LookState, useLook } from './items.js';
import { MapPanel } from './MapPanel.js';
import { SealedImages } from './SealedImages.js';
import { Tiles } from './Tiles.js';
import { answerText, tones as legend, toneOf } from './tone.js';

export function LookView() {
  const look = useLook();
  return look ? <Looking look={look} /> : <NoRun />;
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
    {
      key: 'p',
      text: 'map of embeddings',
      act: () => go(state.get('map') === 'shown' ? { map: null, lasso: null } : { map: 'shown' }, 'replace'),
    },
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
          map={look.map}
          chosen={chosen < 0 ? undefined : items.at(chosen).name}
          colorOf={(name) => colorOf(look, name)}
          legend={legend}
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
            answerOf={({ row }) =>
              known && row !== undefined
                ? { tone: toneOf(known, row), text: answerText(known, row) }
                : undefined
            }
          />
        )}
        {chosen >= 0 && <Detail run={run} item={items.at(chosen)} table={known} heat={heat} />}
      </div>
    </section>
  );
}

function colorOf(look: LookState, name: string): string {
  const table = look.table.state === 'ready' ? look.table.value : undefined;
  const row = table?.rowOf.get(name);
  return table && row !== undefined ? toneOf(table, row) : 'clear';
}
