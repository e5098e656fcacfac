// The map of embeddings, with a lasso. Drawn by hand on a canvas: regl, on which the usual libraries stand, compiles its drawing with
// `Function(…)`, which the policy of the page forbids.

import { useEffect, useRef, useState } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { ask, attempt } from '../../state/server.js';
import type { Background, EmbeddingMap } from '../../wire/look.js';
import { picked } from './items.js';
import { isInside, type Point } from './lasso.js';

const margin = 10;

export function MapPanel(props: {
  readonly run: string;
  /** The color of an image: a custom property of the style sheet. */
  readonly colorOf: (name: string) => string;
  /** The colors, with what they mean. */
  readonly legend: readonly (readonly [color: string, text: string])[];
  readonly chosen: string | undefined;
}) {
  const { run, colorOf, legend, chosen } = props;
  const now = useMap(run);
  const canvas = useRef<HTMLCanvasElement>(null);
  // The pointer may move faster than the page is drawn.
  const lasso = useRef<Point[]>([]);
  const [, redraw] = useState(0);
  const setLasso = (points: Point[]) => {
    lasso.current = points;
    redraw((n) => n + 1);
  };
  const map = now?.state === 'ready' ? now.result : undefined;
  const isPicked = address.value.get('picked') === 'lasso';
  const clear = () => {
    setLasso([]);
    picked.value = undefined;
    go({ picked: null }, 'replace');
  };
  useShortcuts(isPicked ? [{ key: 'Escape', text: 'clear the lasso', act: clear }] : []);
  useEffect(() => {
    if (map && canvas.current) draw(canvas.current, map, { colorOf, lasso: lasso.current, chosen });
  });
  const pointOf = (event: PointerEvent): Point => {
    const box = canvas.current!.getBoundingClientRect();
    return [
      (event.clientX - box.left - margin) / (box.width - 2 * margin),
      (event.clientY - box.top - margin) / (box.height - 2 * margin),
    ];
  };
  const finish = () => {
    const line = lasso.current;
    if (!map || line.length < 3) return clear();
    const names = map.names.filter((_, i) => isInside([map.x[i]!, map.y[i]!], line));
    picked.value = { run, names: new Set(names) };
    go({ picked: 'lasso', show: 'all', image: null }, 'replace');
  };
  return (
    <div class="map">
      {map ? (
        <>
          <canvas
            ref={canvas}
            role="img"
            aria-label={`Map of ${map.names.length} images`}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              setLasso([pointOf(event)]);
            }}
            onPointerMove={(event) => {
              if (event.buttons === 1) setLasso([...lasso.current, pointOf(event)]);
            }}
            onPointerUp={finish}
          />
          <p class="small quiet">
            <Legend entries={legend} /> Draw around images to see them. {map.names.length} images on{' '}
            {map.method}.{' '}
            {isPicked && (
              <button type="button" class="button quiet-button" onClick={clear}>
                Show all
              </button>
            )}
          </p>
        </>
      ) : (
        <p class="quiet small">
          {now?.state === 'failed'
            ? now.reason
            : `Embedding the images${now?.state === 'working' && now.total > 0 ? `, ${now.done} of ${now.total}` : ''}…`}
        </p>
      )}
    </div>
  );
}

function Legend({ entries }: { readonly entries: readonly (readonly [color: string, text: string])[] }) {
  return (
    <span class="map-legend">
      {entries.map(([color, text]) => (
        <span key={text}>
          <i style={{ background: `var(--${color})` }} /> {text}
        </span>
      ))}
    </span>
  );
}

function useMap(run: string): Background<EmbeddingMap> | undefined {
  const [now, setNow] = useState<Background<EmbeddingMap>>();
  useEffect(() => {
    const aborted = new AbortController();
    const look = async () => {
      for (;;) {
        const answer = await ask<Background<EmbeddingMap>>('look/map', { run }, aborted.signal);
        setNow(answer);
        if (answer.state !== 'working') return;
        await new Promise((next) => setTimeout(next, 600));
      }
    };
    void attempt(look);
    return () => aborted.abort();
  }, [run]);
  return now;
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
