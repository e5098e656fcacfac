// A long list of which only the visible part is drawn.

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRowsProps {
  readonly count: number;
  /** Height of a row in pixels. */
  readonly height: number;
  readonly class?: string;
  readonly label: string;
  /** Default `region`; `rowgroup` within a table. */
  readonly role?: 'region' | 'rowgroup';
  /** The row to keep in sight, such as the one that the keyboard chose. */
  readonly shown?: number;
  /** Rows that are drawn before and after those in sight. Default 6. */
  readonly overscan?: number;
  /** A name that stays with a row when others come and go. */
  readonly keyOf: (index: number) => string;
  /** Draws a row; `isPassing` while rows fly past, of which nothing that takes time need be shown. */
  readonly children: (index: number, isPassing: boolean) => ComponentChildren;
}

/** Milliseconds in which at least a whole box of rows comes and goes, if rows fly past. */
const passing = 100;

/**
 * @example
 * <VirtualRows count={rows.length} height={48} label="Runs" keyOf={(i) => rows[i]!.id}>{(i) => <Row row={rows[i]!} />}</VirtualRows>
 */
export function VirtualRows({
  count,
  height,
  class: name,
  label,
  role = 'region',
  shown,
  overscan = 6,
  keyOf,
  children,
}: VirtualRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const virtual = useRef<Virtualizer<HTMLDivElement, HTMLDivElement>>(undefined);
  const moved = useRef({ to: 0, at: 0, isPassing: false });
  const options: VirtualizerOptions<HTMLDivElement, HTMLDivElement> = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan,
    onChange({ scrollOffset, scrollRect, isScrolling }) {
      const [to, at] = [scrollOffset ?? 0, performance.now()];
      const fast = ((scrollRect?.height ?? 0) * (at - moved.current.at)) / passing;
      moved.current = { to, at, isPassing: isScrolling && Math.abs(to - moved.current.to) > fast };
      redraw(0);
    },
  };
  virtual.current ??= new Virtualizer(options);
  virtual.current.setOptions(options);
  useEffect(() => virtual.current!._didMount(), []);
  useEffect(() => virtual.current!._willUpdate());
  useEffect(() => {
    if (shown !== undefined && shown >= 0) virtual.current!.scrollToIndex(shown);
  }, [shown]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles may have a name
    <div class={`virtual ${name ?? ''}`} ref={box} role={role} aria-label={label} tabIndex={0}>
      <div
        role="presentation"
        style={{ height: `${virtual.current.getTotalSize()}px`, position: 'relative' }}
      >
        {virtual.current.getVirtualItems().map(({ index, start }) => (
          <div
            class="virtual-row"
            role="presentation"
            key={keyOf(index)}
            style={{ transform: `translateY(${start}px)`, height: `${height}px` }}
          >
            {children(index, moved.current.isPassing)}
          </div>
        ))}
      </div>
    </div>
  );
}
