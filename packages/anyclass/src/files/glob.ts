/**
 * Returns a test for paths that match a shell pattern: `*` and `?` stay within a folder, `**` also matches
 * subfolders. The time is at most proportional to pattern length times path length: all possible matches are
 * followed at once, without backtracking.
 *
 * @example
 * globMatcher('a/*.png')('a/b.png') // true
 * globMatcher('a/**' + '/*.png')('a/b/c/d.png') // true
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const parts = partsOf(pattern);
  return (path) => {
    let places = reached(new Set([0]), parts);
    for (const character of path) {
      const next = new Set<number>();
      for (const place of places) for (const after of placesAfter(place, parts, character)) next.add(after);
      places = reached(next, parts);
      if (places.size === 0) return false;
    }
    return places.has(parts.length);
  };
}

/** A literal character or a wildcard. `folders` is `**` followed by a slash: zero or more folders. */
type Part = { readonly character: string } | 'one' | 'some' | 'all' | 'folders';

function partsOf(pattern: string): Part[] {
  const tokens = pattern.match(/\*\*\/|\*\*|\*|\?|[^*?]/gsu) ?? [];
  const kinds: Readonly<Record<string, Part>> = { '**/': 'folders', '**': 'all', '*': 'some', '?': 'one' };
  return tokens.map((token) => kinds[token] ?? { character: token });
}

/**
 * The places in the pattern after one more character. A place is the index of the next part; inside a folder
 * name that `folders` matches, it is -1 - the index of that part.
 */
function placesAfter(place: number, parts: readonly Part[], character: string): number[] {
  const at = place < 0 ? -1 - place : place;
  const part = parts[at];
  switch (part) {
    case undefined:
      return [];
    case 'folders':
      return character === '/' ? [at, -1 - at] : [-1 - at];
    case 'all':
      return [at];
    case 'some':
      return character === '/' ? [] : [at];
    case 'one':
      return character === '/' ? [] : [at + 1];
    default:
      return part.character === character ? [at + 1] : [];
  }
}

/** Adds the places after parts that may match nothing. */
function reached(places: Set<number>, parts: readonly Part[]): Set<number> {
  for (const place of places) {
    const part = parts[place];
    if (part === 'some' || part === 'all' || part === 'folders') places.add(place + 1);
  }
  return places;
}
