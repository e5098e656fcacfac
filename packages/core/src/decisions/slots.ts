// The places of rows among a class's ranked scores, by segment: a segment ends with the scores tied to a positive.

import { ENDS_TIE, IS_PRESENT, type RankedClass, ROW_SHIFT } from '../metrics/rankedClasses.js';

/** For each row in presence order: twice its segment among a class's ranked entries, plus 1 if the class is present. */
export type Slots = Uint16Array | Uint32Array;

/** Allocates slots for this many rows and segments. */
export function newSlots(rows: number, segments: number): Slots {
  return 2 * segments > 0xffff ? new Uint32Array(rows) : new Uint16Array(rows);
}

/** Writes each row's segment, given where segments end; `positionOf` is each row's place in presence order. */
export function fillSlots(
  slots: Slots,
  entries: RankedClass,
  ends: Uint32Array,
  positionOf: Uint32Array,
): Slots {
  const last = 2 * ends.length;
  // Rows without a known label are treated like entries after the last segment.
  slots.fill(last);
  let segment = 0;
  for (let k = 0; k < entries.length; k++) {
    while (segment < ends.length && k >= ends[segment]!) segment++;
    slots[positionOf[entries[k]! >>> ROW_SHIFT]!] = 2 * segment + (entries[k]! & IS_PRESENT);
  }
  return slots;
}

/** Returns where scores tied to a positive end; a threshold may be placed after these entries. */
export function positiveEnds(entries: RankedClass): Uint32Array {
  const ends: number[] = [];
  let hasPositive = false;
  for (let k = 0; k < entries.length; k++) {
    if (entries[k]! & IS_PRESENT) hasPositive = true;
    if (!(entries[k]! & ENDS_TIE)) continue;
    if (hasPositive) ends.push(k + 1);
    hasPositive = false;
  }
  return Uint32Array.from(ends);
}
