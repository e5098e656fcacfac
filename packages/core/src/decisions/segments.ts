import type { Slots } from './slots.js';

/** Segments are counted by blocks of 64 too. */
export const BLOCK_SHIFT = 6;

/** Counts of the rows that have passed so far, per segment of the ranked entries. */
export interface Segments {
  /** Where each segment ends; what comes after the last is not counted. */
  readonly ends: Uint32Array;
  readonly slots: Slots;
  /** For segment i: all rows at 2 i, and those with the class present at 2 i + 1. */
  readonly counts: Int32Array;
  /** The same for blocks of 64 segments. */
  readonly blocks: Int32Array;
  /** How many rows are counted, from the highest presence down. */
  passed: number;
}

/**
 * Returns segments for a sweep. For many fits on one sample they are those of the last sweep, which are `kept`: their counts are near what
 * the next gate needs while a budget moves step by step.
 */
export function segmentsOf(
  kept: Map<Slots, Segments> | undefined,
  ends: Uint32Array,
  slots: Slots,
): Segments {
  const known = kept?.get(slots);
  if (known) return known;
  const segments = {
    ends,
    slots,
    counts: new Int32Array(2 * ends.length + 2),
    blocks: new Int32Array(2 * (ends.length >>> BLOCK_SHIFT) + 2),
    passed: 0,
  };
  kept?.set(slots, segments);
  return segments;
}
