// The crosshair follows a pointer, a finger or the arrow keys on any of the plots.

import { clamp, type PlaygroundState, ranges } from './state.js';

type Point = Pick<PlaygroundState, 'p1' | 'p2'>;

const keySteps: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
};

/** Calls `move` with the new position of the crosshair; `byKey` tells whether the keyboard moved it. */
export function followInput(
  surface: HTMLElement,
  current: () => Point,
  move: (point: Point, byKey: boolean) => void,
): void {
  const followPointer = (event: PointerEvent) => {
    const box = surface.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width;
    const up = 1 - (event.clientY - box.top) / box.height;
    move({ p1: probabilityAt(across), p2: probabilityAt(up) }, false);
  };
  // A finger that comes down may be about to scroll, so it moves the crosshair only when it drags or is
  // lifted. If it scrolls, the browser sends pointercancel.
  let before = current();
  surface.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    before = current();
    surface.setPointerCapture(event.pointerId);
    if (event.pointerType !== 'touch') followPointer(event);
  });
  for (const type of ['pointermove', 'pointerup'] as const) {
    surface.addEventListener(type, (event) => {
      if (surface.hasPointerCapture(event.pointerId)) followPointer(event);
    });
  }
  surface.addEventListener('pointercancel', () => move({ p1: before.p1, p2: before.p2 }, false));
  surface.addEventListener('keydown', (event) => {
    const step = keySteps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.1 : 0.01;
    const { p1, p2 } = current();
    move({ p1: stepped('p1', p1, step[0] * size), p2: stepped('p2', p2, step[1] * size) }, true);
  });
}

function probabilityAt(share: number): number {
  const { min, max } = ranges.p1;
  return clamp('p1', rounded(min + share * (max - min)));
}

function stepped(field: 'p1' | 'p2', value: number, step: number): number {
  return clamp(field, rounded(value + step));
}

// A pixel is about 0.004, so readings and the address need only three digits.
function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}
