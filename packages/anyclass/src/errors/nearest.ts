/**
 * The candidate closest to a misspelled word by edit distance, if one is close at all.
 *
 * @example
 * nearest('--thresold', ['--threshold', '--json']) // '--threshold'
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, word.length / 3) ? best.candidate : undefined;
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
