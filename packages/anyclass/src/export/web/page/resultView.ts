import type { Prediction } from '@anyclass/browser';
import { create } from './elements.js';

const mostRows = 8;

/**
 * Shows the labels, presence and classes of a prediction. `onSelect` is called with the class whose heat map
 * should be shown, or with undefined for none.
 *
 * @example
 * card.append(...resultView(prediction, (name) => console.log(name)));
 */
export function resultView(
  prediction: Prediction,
  onSelect: (name: string | undefined) => void,
): HTMLElement[] {
  const { labels, outcome, presence, probabilities, thresholds, heatMaps } = prediction;
  const found = create('p', 'labels');
  if (outcome === 'review') found.append(create('span', 'none tag review', 'To review'));
  else if (labels.length === 0)
    found.append(
      outcome === 'alarm'
        ? create('span', 'label tag chosen', 'Alarm, no class')
        : create('span', 'none tag clear', 'Nothing found'),
    );
  for (const name of labels) found.append(create('span', 'label tag chosen', name));
  const names = Object.keys(probabilities).sort(
    (a, b) =>
      Number(labels.includes(b)) - Number(labels.includes(a)) || probabilities[b]! - probabilities[a]!,
  );
  const rows = names.map((name) =>
    classRow(name, {
      probability: probabilities[name]!,
      threshold: thresholds[name] ?? null,
      isPredicted: labels.includes(name),
    }),
  );
  const list = create('div', 'classes', ...rows);
  if (heatMaps) selectable(rows, names, onSelect, labels[0]);
  const parts: HTMLElement[] = [found, presenceView(presence), list];
  const few = Math.max(mostRows, labels.length);
  if (rows.length > few) parts.push(moreButton(rows.slice(few)));
  return parts;
}

function presenceView({ probability, gate, passes }: Prediction['presence']): HTMLElement {
  const verdict = passes ? 'at or above' : 'below';
  const row = create(
    'div',
    'row presence',
    create('span', 'name', 'Any class present'),
    meter(probability, gate, passes),
    create('span', 'value', percent(probability)),
  );
  row.title = `The probability that any class is present is ${verdict} the gate of ${percent(gate)}.`;
  row.classList.toggle('predicted', passes);
  return row;
}

function classRow(
  name: string,
  {
    probability,
    threshold,
    isPredicted,
  }: { probability: number; threshold: number | null; isPredicted: boolean },
): HTMLButtonElement {
  const row = create(
    'button',
    'row',
    create('span', 'name', name),
    meter(probability, threshold, isPredicted),
    create('span', 'value', percent(probability)),
  );
  row.type = 'button';
  row.disabled = true;
  row.classList.toggle('predicted', isPredicted);
  row.title =
    threshold === null
      ? `${name} is never predicted`
      : `${name} is predicted at ${percent(threshold)} or above`;
  return row;
}

/** Creates a bar with a mark at the threshold. */
function meter(value: number, threshold: number | null, isPredicted: boolean): HTMLElement {
  const fill = create('i', '');
  fill.style.width = percent(value);
  const made = create('span', isPredicted ? 'meter predicted' : 'meter', fill);
  if (threshold !== null) {
    const mark = create('b', '');
    mark.style.left = percent(Math.min(1, threshold));
    made.append(mark);
  }
  return made;
}

/** Makes rows selectable, one at a time, to show their heat maps; clicking the selected row hides its map. */
function selectable(
  rows: readonly HTMLButtonElement[],
  names: readonly string[],
  onSelect: (name: string | undefined) => void,
  first: string | undefined,
): void {
  const select = (name: string | undefined) => {
    for (const [i, row] of rows.entries()) row.ariaPressed = String(names[i] === name);
    onSelect(name);
  };
  for (const [i, row] of rows.entries()) {
    row.disabled = false;
    row.title += '; click to see where';
    row.addEventListener('click', () => select(row.ariaPressed === 'true' ? undefined : names[i]));
  }
  select(first);
}

function moreButton(rows: readonly HTMLElement[]): HTMLElement {
  for (const row of rows) row.hidden = true;
  const button = create('button', 'button quiet-button', `Show ${rows.length} more`);
  button.type = 'button';
  button.addEventListener('click', () => {
    for (const row of rows) row.hidden = false;
    button.remove();
  });
  return button;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
