// The page: one state, drawn at most once per frame, and only the parts that a change affects.

import { likelihoodSurfaces } from '@anyclass/core';
import { controls } from './controls.js';
import { followInput } from './crosshairInput.js';
import { lossScale } from './levels.js';
import { paletteOf } from './palettes.js';
import { plotRows } from './plots.js';
import { type PlotView, plotView, steps } from './plotView.js';
import { saveText } from './saveText.js';
import { type PlaygroundState, settingsText, stateFromHash, stateToHash } from './state.js';
import { svgDocument } from './svgPicture.js';

let state = stateFromHash(location.hash);
let drawn: PlaygroundState | undefined;
let palette = paletteOf(state.palette);
let side = 0;
let isFrameAsked = false;
let addressTimer: ReturnType<typeof setTimeout> | undefined;
let spokenBy: PlotView | undefined;

const form = byId('controls', HTMLFormElement);
const spoken = byId('spoken', HTMLElement);
const settings = controls(form, change);
const rows = plotRows.map(({ heading, explanation, plots }) => {
  const row = document.createElement('section');
  row.innerHTML = `<h2>${heading} <small>${explanation}</small></h2>`;
  const rowViews = plots.map(plotView);
  row.append(...rowViews.map(({ element }) => element));
  byId('plots', HTMLElement).append(row);
  return rowViews;
});
const views = rows.flat();
byId('save', HTMLButtonElement).addEventListener('click', () => save('any-class-surfaces', rows));
for (const view of views) {
  view.saveButton.addEventListener('click', () => save(view.plot.id, [[view]]));
  followInput(
    view.surface,
    () => state,
    (point, byKey) => {
      spokenBy = byKey ? view : undefined;
      change(point);
    },
  );
}
byId('largest', HTMLElement).textContent = lossScale.largest.toFixed(1);
new ResizeObserver(([plot]) => {
  side = plot?.contentRect.width ?? 0;
  for (const { canvas } of views) canvas.resize(side, Math.min(devicePixelRatio, 2));
  drawn = undefined;
  askFrame();
}).observe(views[0]!.surface);
addEventListener('hashchange', () => {
  state = stateFromHash(location.hash);
  askFrame();
});

function change(changed: Partial<PlaygroundState>): void {
  state = { ...state, ...changed };
  askFrame();
  // Browsers limit changes of the address per second, and a drag should not fill the history.
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => history.replaceState(null, '', `#${stateToHash(state)}`), 150);
}

function askFrame(): void {
  if (isFrameAsked) return;
  isFrameAsked = true;
  requestAnimationFrame(() => {
    isFrameAsked = false;
    settings.show(state);
    draw();
  });
}

function draw(): void {
  const before = drawn;
  const isRecolored = before?.palette !== state.palette || before.contours !== state.contours;
  if (before?.palette !== state.palette) {
    palette = paletteOf(state.palette);
    showLegend();
  }
  const moved = views.filter(({ plot }) => before === undefined || isMoved(plot.dependsOn, before));
  likelihoodSurfaces(
    moved.map(({ plot }) => plot),
    { ...state, targets: [state.y1, state.y2], steps },
    moved.map(({ values }) => values),
  );
  for (const { canvas, values } of before === undefined || isRecolored ? views : moved) {
    canvas.paint({ values, steps }, palette, state.contours);
  }
  const isPointMoved = before?.p1 !== state.p1 || before.p2 !== state.p2;
  for (const view of isPointMoved ? views : moved) {
    const words = view.showReading(state, side);
    if (view === spokenBy) spoken.textContent = words;
  }
  drawn = state;
}

function isMoved(dependsOn: readonly ('lambda' | 'alpha' | 'gamma')[], before: PlaygroundState): boolean {
  // λ weights an absent class relative to a present one, so it has no effect if the labels are equal.
  const fields = dependsOn.filter((field) => field !== 'lambda' || state.y1 !== state.y2);
  return (['y1', 'y2', ...fields] as const).some((field) => before[field] !== state[field]);
}

function save(name: string, chosen: readonly (readonly PlotView[])[]): void {
  const pictures = chosen.map((row) => row.map((view) => view.picture(state, palette)));
  saveText(`${name}.svg`, svgDocument(pictures, settingsText(state)), 'image/svg+xml');
}

function showLegend(): void {
  const context = byId('legend', HTMLCanvasElement).getContext('2d');
  const colors = new ImageData(new Uint8ClampedArray(palette.pixels.slice().buffer), 256, 1);
  context?.putImageData(colors, 0, 0);
}

function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no '${id}'`);
  return found;
}
