// The choice of images.

import { countText } from '@anyclass/kit';
import { useMemo } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import { runList } from '../../state/runs.js';
import { countsOf, type Show, shows } from './filters.js';
import type { LookState } from './items.js';
import { isList } from './lists.js';

const titles: Readonly<Record<Show, string>> = {
  alarms: 'Negatives that alarm',
  missed: 'Positives missed',
  review: 'For review',
  differs: 'Other outcome than',
  suspects: 'Suspect labels',
  alike: 'Look-alikes',
  all: 'All images',
};
const ofClass: Partial<Record<Show, string>> = {
  alarms: 'Predicted, not labeled',
  missed: 'Labeled, not predicted',
};
const newly: Partial<Record<Show, string>> = { alarms: 'Newly alarming', missed: 'Newly missed' };

export function FilterBar({ look, hasMap = false }: { readonly look: LookState; readonly hasMap?: boolean }) {
  const { filters, split, table, run, items } = look;
  const { show, classIndex } = filters;
  const state = address.value;
  const known = table.state === 'ready' ? table.value : undefined;
  const counts = useMemo(() => known && countsOf(known, classIndex), [known, classIndex]);
  const against = state.get('against') ?? '';
  const others = (runList.value?.rows ?? []).filter((row) => row.id !== run && row.state === 'finished');
  const title = (each: Show) => {
    if (against !== '' && newly[each]) return newly[each];
    const text = classIndex === undefined ? titles[each] : (ofClass[each] ?? titles[each]);
    const count = counts?.[each];
    return against !== '' || count === undefined ? text : `${text} (${countText(count)})`;
  };
  // Lists have an order of their own, and images without scores.
  const isOfRows = !isList(show);
  const set = (name: string) => (event: { readonly currentTarget: { readonly value: string } }) =>
    go({ [name]: event.currentTarget.value, image: null });
  return (
    <div class="tools look-tools">
      <Choice id="show" label="Show" value={show} onChange={set('show')}>
        {shows
          .filter((each) => each !== 'differs' || against !== '')
          .map((each) => (
            <option key={each} value={each}>
              {title(each)}
            </option>
          ))}
      </Choice>
      <Choice id="class" label="Class" value={state.get('class') ?? ''} onChange={set('class')}>
        <option value="">any class</option>
        {known?.classes.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Choice>
      {isOfRows && known && known.groups.length > 0 && (
        <Choice id="group" label="Group" value={state.get('group') ?? ''} onChange={set('group')}>
          <option value="">any group</option>
          {known.groups.slice(0, 2000).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {isOfRows && (
        <>
          <span class="between">
            <label for="from">Probability</label>
            <Percent id="from" value={state.get('from')} otherwise={0} label="Probability from, in percent" />
            to
            <Percent id="to" value={state.get('to')} otherwise={100} label="Probability to, in percent" />%
          </span>
          <Choice id="against" label="Beside" value={against} onChange={set('against')}>
            <option value="">no other run</option>
            {others.slice(0, 500).map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </Choice>
          <Choice id="order" label="Order" value={filters.order} onChange={set('order')}>
            <option value="high">most probable first</option>
            <option value="low">least probable first</option>
            <option value="name">by name</option>
          </Choice>
        </>
      )}
      {isOfRows && known && known.splits.length > 1 && (
        <Choice id="split" label="Split" value={split} onChange={set('split')}>
          {known.splits.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Choice>
      )}
      {hasMap && split === 'validation' && (
        <label>
          <input
            type="checkbox"
            checked={state.get('map') === 'shown'}
            onChange={() =>
              go(state.get('map') === 'shown' ? { map: null, lasso: null } : { map: 'shown' }, 'replace')
            }
          />{' '}
          map
        </label>
      )}
      <output class="quiet">
        {/* With no image to show, what is pending stands in their place. */}
        {items.count === 0 && look.pending !== undefined
          ? ''
          : (look.pending ?? `${countText(items.count)} shown`)}
        {look.isWithoutTest && ', without test, which is sealed'}
      </output>
    </div>
  );
}

function Choice(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <span class="choice">
      <label for={props.id}>{props.label}</label>
      <select id={props.id} value={props.value} onChange={props.onChange}>
        {props.children}
      </select>
    </span>
  );
}

function Percent(props: {
  readonly id: 'from' | 'to';
  readonly value: string | null;
  readonly otherwise: number;
  readonly label: string;
}) {
  const { id, value, otherwise, label } = props;
  return (
    <input
      id={id}
      type="number"
      min={0}
      max={100}
      step="any"
      aria-label={label}
      value={value ?? otherwise}
      onChange={(event) => {
        const given = event.currentTarget.value;
        go({ [id]: given === String(otherwise) ? null : given, image: null });
      }}
    />
  );
}
