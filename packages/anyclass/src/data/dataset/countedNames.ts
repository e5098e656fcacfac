import { inflected } from '../../errors/counted.js';
import type { Remark } from './dataset.js';

/** A count of names, and the first ten of them. */
export interface CountedNames {
  readonly count: number;
  readonly examples: readonly string[];
  /** `place` is the name's position among the examples, if names arrive out of order. */
  add(name: string, place?: number): void;
  /** The count as a remark, worded for one or for many; empty if nothing was counted. */
  remarks(one: string, many: string): Remark[];
}

/**
 * Creates an empty count of names.
 *
 * @example
 * const skipped = countedNames();
 * skipped.add('notes.txt');
 * skipped.remarks('file was skipped', 'files were skipped') // one remark: 'file was skipped', with a count of 1
 */
export function countedNames(): CountedNames {
  const examples: string[] = [];
  const places: number[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    examples,
    add(name, place = count) {
      count += 1;
      const at = places.findLastIndex((before) => before <= place) + 1;
      if (at >= 10) return;
      examples.splice(at, 0, name);
      places.splice(at, 0, place);
      examples.length = Math.min(examples.length, 10);
      places.length = examples.length;
    },
    remarks: (one, many) => (count === 0 ? [] : [{ text: inflected(count, one, many), count, examples }]),
  };
}
