import { listed } from './listed.js';

/**
 * The candidate closest to a misspelled word by edit distance, upper and lower case alike, if one is close at all.
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
  // Of a short word at least half must be right.
  const most = Math.min(Math.max(2, word.length / 3), word.length / 2);
  return best && best.distance <= most ? best.candidate : undefined;
}

/**
 * What to say of a name that does not exist: the nearest one that does, or all of them.
 *
 * @example
 * nearestOrAll('crak', ['crack', 'roots'], 'the classes are') // "did you mean 'crack'?"
 * nearestOrAll('leak', ['crack', 'roots'], 'the classes are') // 'the classes are crack, roots'
 */
export function nearestOrAll(word: string, candidates: readonly string[], all: string): string {
  const close = nearest(word, candidates);
  return close === undefined ? `${all} ${listed(candidates, 24)}` : `did you mean '${close}'?`;
}

// Levenshtein's distance, one row of the table at a time.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
