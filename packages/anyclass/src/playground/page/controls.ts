// The form: sliders, each with a field for the exact value, labels, palette and contours.

import { paletteNames } from './palettes.js';
import {
  clamp,
  contourCounts,
  initialState,
  type NumberField,
  numberFields,
  numberWithin,
  type PlaygroundState,
} from './state.js';

export interface Controls {
  show(state: PlaygroundState): void;
}

/** Sets up the form; calls `change` with what the user changed. */
export function controls(
  form: HTMLFormElement,
  change: (changed: Partial<PlaygroundState>) => void,
): Controls {
  fillChoices(choice(form, 'palette'), paletteNames);
  fillChoices(choice(form, 'contours'), contourCounts, (count) => (count === 0 ? 'none' : String(count)));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => {
    event.preventDefault();
    change(initialState);
  });
  for (const label of ['y1', 'y2'] as const) {
    input(form, label).addEventListener('change', () =>
      change({ [label]: input(form, label).checked ? 1 : 0 }),
    );
  }
  // A number that is being typed is not a value yet, and drawing a frame must not overwrite it.
  let typed: HTMLInputElement | undefined;
  for (const field of numberFields) {
    const slider = input(form, field);
    const exact = input(form, `${field}Value`);
    exact.addEventListener('input', () => {
      typed = exact;
    });
    exact.addEventListener('blur', () => {
      typed = undefined;
    });
    slider.addEventListener('input', () => change({ [field]: fromSlider(field, Number(slider.value)) }));
    exact.addEventListener('change', () => {
      typed = undefined;
      const value = numberWithin(field, exact.value);
      change(value === undefined ? {} : { [field]: value });
    });
  }
  form.addEventListener('change', () => {
    const palette = paletteNames.find((name) => name === choice(form, 'palette').value);
    const contours = contourCounts.find((count) => String(count) === choice(form, 'contours').value);
    change({ ...(palette && { palette }), ...(contours !== undefined && { contours }) });
  });
  return { show: (state) => show(form, state, typed) };
}

// Writing to a field makes the browser redo its layout, so fields that are already right are left alone.
function show(form: HTMLFormElement, state: PlaygroundState, typed: HTMLInputElement | undefined): void {
  for (const label of ['y1', 'y2'] as const) input(form, label).checked = state[label] === 1;
  for (const field of numberFields) {
    const text = String(Number(state[field].toPrecision(4)));
    const exact = input(form, `${field}Value`);
    if (exact === typed || exact.value === text) continue;
    exact.value = text;
    const slider = input(form, field);
    slider.setAttribute('aria-valuetext', text);
    if (fromSlider(field, Number(slider.value)) !== state[field])
      slider.value = String(toSlider(field, state[field]));
  }
  choice(form, 'palette').value = state.palette;
  choice(form, 'contours').value = String(state.contours);
}

// λ is searched over decades, and 0 is a special case: place 0 is 0, and places 1 to 61 run from 0.001 to 1.
// Two digits cannot distinguish more than twenty places per decade.
const placesPerDecade = 20;

/** Returns the value that a slider's place stands for. */
export function fromSlider(field: NumberField, place: number): number {
  if (field !== 'lambda') return clamp(field, place);
  return place === 0 ? 0 : Number((10 ** ((place - 1) / placesPerDecade - 3)).toPrecision(2));
}

/** Returns the slider's place that is nearest to a value. */
export function toSlider(field: NumberField, value: number): number {
  if (field !== 'lambda') return value;
  if (value <= 0) return 0;
  return Math.max(1, Math.round(1 + (Math.log10(value) + 3) * placesPerDecade));
}

function fillChoices<Choice extends string | number>(
  select: HTMLSelectElement,
  choices: readonly Choice[],
  text: (choice: Choice) => string = String,
): void {
  select.replaceChildren(...choices.map((choice) => new Option(text(choice), String(choice))));
}

function input(form: HTMLFormElement, name: string): HTMLInputElement {
  const found = form.elements.namedItem(name);
  if (!(found instanceof HTMLInputElement)) throw new Error(`the form has no field '${name}'`);
  return found;
}

function choice(form: HTMLFormElement, name: string): HTMLSelectElement {
  const found = form.elements.namedItem(name);
  if (!(found instanceof HTMLSelectElement)) throw new Error(`the form has no choice '${name}'`);
  return found;
}
