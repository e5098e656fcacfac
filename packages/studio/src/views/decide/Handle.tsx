// A handle that is dragged or moved by keys.

import type { ComponentChildren } from 'preact';

export interface HandleProps {
  readonly label: string;
  /** In percent. */
  readonly value: number;
  readonly most: number;
  /** Called with the pointer's place, in pixels from the left of the chart. */
  readonly onDrag: (x: number) => void;
  /** Called with a number of steps; ten with the shift key. */
  readonly onStep: (steps: number) => void;
  readonly children: ComponentChildren;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

export function Handle({ label, value, most, onDrag, onStep, children }: HandleProps) {
  const drag = (event: PointerEvent & { readonly currentTarget: SVGGElement }) => {
    event.preventDefault();
    const group = event.currentTarget;
    group.focus();
    group.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => {
      const box = group.ownerSVGElement?.getBoundingClientRect();
      if (box) onDrag(moved.clientX - box.left);
    };
    const end = () => {
      group.removeEventListener('pointermove', move);
      group.removeEventListener('pointerup', end);
      group.removeEventListener('pointercancel', end);
    };
    group.addEventListener('pointermove', move);
    group.addEventListener('pointerup', end);
    group.addEventListener('pointercancel', end);
  };
  const key = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onStep(step * (event.shiftKey ? 10 : 1));
  };
  return (
    <g
      class="handle"
      // In lower case: attributes of SVG keep their case, and no key reaches `tabIndex`.
      tabindex={0}
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={value}
      aria-valuetext={`${value} percent`}
      onPointerDown={drag}
      onKeyDown={key}
    >
      {children}
    </g>
  );
}
