import { listed } from './listed.js';

/**
 * The candidate closest to a misspelled word by edit distance, ignoring case, or undefined if none is close.
 *
 * @example
 * nearest('--thresold', ['--threshold', '--json']) // '--threshold'
 * nearest('cat', ['cow', 'dog']) // undefined
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = word.toLowerCase();
  const distances = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(plain, candidate.toLowerCase()),
  }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  // Short words resemble each other: allow one mistake, and none in a single letter.
  const most = word.length < 5 ? Math.min(1, word.length / 2) : Math.max(2, word.length / 3);
  return best && best.distance <= most ? best.candidate : undefined;
}

/**
 * A hint for a name that does not exist: the nearest one that does, or all of them.
 *
 * @example
 * nearestOrAll('crak', ['crack', 'roots'], 'the classes are') // "did you mean 'crack'?"
 * nearestOrAll('leak', ['crack', 'roots'], 'the classes are') // 'the classes are crack, roots'
 */
export function nearestOrAll(word: string, candidates: readonly string[], all: string): string {
  const close = nearest(word, candidates);
  return close === undefined ? `${all} ${listed(candidates, 24)}` : `did you mean '${close}'?`;
}

// Levenshtein distance with swapped neighbors as one mistake (optimal string alignment), row by row.
function editDistance(a: string, b: string): number {
  let above: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? above[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(substitution, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    [above, row] = [row, next];
  }
  return row[b.length]!;
}
