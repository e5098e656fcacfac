// The map of embeddings, with a lasso. Drawn by hand on a canvas: regl, on which the usual libraries stand, compiles its drawing with
// `Function(…)`, which the policy of the page forbids.

import { countText } from '@anyclass/kit';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import type { Background, EmbeddingMap } from '../../wire/look.js';
import { circleAround, lassoIn, lassoText, type Point } from './lasso.js';
import { progressOf } from './table.js';

const margin = 10;
/** The first circle that the keyboard draws, of a side of 1, and how it grows. */
const [firstRadius, growth] = [0.05, 1.5];

export function MapPanel(props: {
  readonly map: Background<EmbeddingMap> | undefined;
  /** The color of an image: a custom property of the style sheet. */
  readonly colorOf: (name: string) => string;
  /** The colors, which are named after what they mean. */
  readonly legend: readonly string[];
  readonly chosen: string | undefined;
}) {
  const { map: now, colorOf, legend, chosen } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  // The line that is being drawn: the pointer may move faster than the page is drawn.
  const drawn = useRef<Point[]>(undefined);
  const radius = useRef(firstRadius);
  const [, redraw] = useState(0);
  const setDrawn = (points: Point[] | undefined) => {
    drawn.current = points;
    redraw((n) => n + 1);
  };
  const map = now?.state === 'ready' ? now.result : undefined;
  const line = lassoIn(address.value.get('lasso'));
  const choose = (points: readonly Point[]) => {
    setDrawn(undefined);
    go(points.length < 3 ? { lasso: null } : { lasso: lassoText(points), show: 'all' }, 'replace');
  };
  const clear = () => {
    radius.current = firstRadius;
    choose([]);
  };
  const surround = () => {
    const at = map && chosen !== undefined ? map.names.indexOf(chosen) : -1;
    if (!map || at < 0) return;
    choose(circleAround([map.x[at]!, map.y[at]!], radius.current));
    radius.current *= growth;
  };
  useShortcuts([
    { key: 'l', text: 'lasso around the image; again: wider', act: surround },
    ...(line ? [{ key: 'Escape', text: 'clear the lasso', act: clear }] : []),
  ]);
  useEffect(() => {
    if (map && canvas.current)
      draw(canvas.current, map, { colorOf, lasso: drawn.current ?? line ?? [], chosen });
  });
  const pointOf = (event: PointerEvent): Point => {
    const box = canvas.current!.getBoundingClientRect();
    return [
      (event.clientX - box.left - margin) / (box.width - 2 * margin),
      (event.clientY - box.top - margin) / (box.height - 2 * margin),
    ];
  };
  if (!map) {
    const load = progressOf(now, 'Embedding the images');
    return (
      <div class="map">
        <p class="quiet small">
          {load.state === 'failed' ? load.reason : load.state === 'loading' && load.text}
        </p>
      </div>
    );
  }
  return (
    <div class="map">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Map of ${map.names.length} images`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([pointOf(event)]);
        }}
        onPointerMove={(event) => {
          if (drawn.current) setDrawn([...drawn.current, pointOf(event)]);
        }}
        onPointerUp={() => choose(drawn.current ?? [])}
        onPointerCancel={() => setDrawn(undefined)}
      />
      <p class="small quiet">
        <span class="map-legend">
          {legend.map((color) => (
            <span key={color}>
              <i style={{ background: `var(--${color})` }} /> {color.replace('-', ' ')}
            </span>
          ))}
        </span>{' '}
        Draw around images to see them. {countText(map.names.length)} images on {map.method}.{' '}
        {line && (
          <button type="button" class="button quiet-button" onClick={clear}>
            Show all
          </button>
        )}
      </p>
    </div>
  );
}

function draw(
  canvas: HTMLCanvasElement,
  { names, x, y }: EmbeddingMap,
  how: {
    readonly colorOf: (name: string) => string;
    readonly lasso: readonly Point[];
    readonly chosen: string | undefined;
  },
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colors = new Map<string, string>();
  const color = (name: string) => {
    const known = colors.get(name) ?? style.getPropertyValue(`--${name}`);
    colors.set(name, known);
    return known;
  };
  const place = (u: number, v: number): Point => [
    margin + u * (width - 2 * margin),
    margin + v * (height - 2 * margin),
  ];
  const size = names.length > 3000 ? 2 : 4;
  names.forEach((name, i) => {
    const [px, py] = place(x[i]!, y[i]!);
    context.fillStyle = color(how.colorOf(name));
    context.fillRect(px - size / 2, py - size / 2, size, size);
  });
  const at = how.chosen === undefined ? -1 : names.indexOf(how.chosen);
  context.strokeStyle = color('accent');
  context.lineWidth = 2;
  if (at >= 0) {
    const [px, py] = place(x[at]!, y[at]!);
    context.strokeRect(px - 6, py - 6, 12, 12);
  }
  if (how.lasso.length < 2) return;
  context.beginPath();
  how.lasso.forEach(([u, v], i) => {
    const [px, py] = place(u, v);
    if (i === 0) context.moveTo(px, py);
    else context.lineTo(px, py);
  });
  context.closePath();
  context.stroke();
}
