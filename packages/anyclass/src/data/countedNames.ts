import type { Remark } from './dataset.js';

/** How many there were of something, and the first ten of them. */
export interface CountedNames {
  readonly count: number;
  readonly examples: readonly string[];
  add(name: string): void;
  /** As a remark; none where nothing was counted. */
  remarks(text: string): Remark[];
}

/**
 * @example
 * const skipped = countedNames();
 * skipped.add('notes.txt');
 * skipped.remarks('files that are not images were skipped') // one remark, with a count of 1
 */
export function countedNames(): CountedNames {
  const examples: string[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    examples,
    add(name) {
      count += 1;
      if (examples.length < 10) examples.push(name);
    },
    remarks: (text) => (count === 0 ? [] : [{ text, count, examples }]),
  };
}
