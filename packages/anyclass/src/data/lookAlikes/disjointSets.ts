/** Sets of numbers from 0 on, joined one pair at a time. */
export interface DisjointSets {
  /** The smallest member of a number's set. */
  find(member: number): number;
  join(a: number, b: number): void;
  /** Sets of two or more members, each in ascending order. */
  larger(): number[][];
}

/**
 * Creates `count` sets of one member each.
 *
 * @example
 * const sets = disjointSets(4);
 * sets.join(3, 1);
 * sets.larger() // [[1, 3]]
 */
export function disjointSets(count: number): DisjointSets {
  const parent = Int32Array.from({ length: count }, (_, member) => member);
  const find = (member: number): number => {
    let root = member;
    while (parent[root] !== root) root = parent[root]!;
    // Path compression.
    for (let at = member; parent[at] !== root; ) {
      const above = parent[at]!;
      parent[at] = root;
      at = above;
    }
    return root;
  };
  return {
    find,
    join(a, b) {
      const [first, second] = [find(a), find(b)];
      parent[Math.max(first, second)] = Math.min(first, second);
    },
    larger() {
      const found = new Map<number, number[]>();
      for (let member = 0; member < count; member++) {
        const root = find(member);
        if (root !== member) (found.get(root) ?? found.set(root, [root]).get(root)!).push(member);
      }
      return [...found.values()];
    },
  };
}
