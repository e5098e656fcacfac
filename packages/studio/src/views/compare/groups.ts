// The groups of runs that can be compared: finished ones that differ in their seed alone.

import { splitId } from '../../parts/numbers.js';
import { countName, groupName } from '../../parts/RunName.js';
import { newestFirst } from '../../state/runs.js';
import type { RunRow } from '../../wire/runs.js';

export interface RunGroup {
  /** In the address: the first of its ids. */
  readonly key: string;
  readonly name: string;
  readonly rows: readonly RunRow[];
}

/** Returns the groups, newest first. */
export function comparableGroups(rows: readonly RunRow[]): RunGroup[] {
  const groups = new Map<string, RunRow[]>();
  for (const row of newestFirst(rows)) {
    if (row.isArchived || row.decidedF1 === null) continue;
    const group = groups.get(row.group);
    if (group) group.push(row);
    else groups.set(row.group, [row]);
  }
  return [...groups.values()].map((group) => {
    const ids = group.map(({ id }) => id).sort();
    return {
      key: ids[0]!,
      name: group.length > 1 ? `${groupName(group)} (${countName(group)})` : splitId(ids[0]!).name,
      rows: [...group].sort((a, b) => a.seed - b.seed),
    };
  });
}

/** The two groups of the address, or the two newest on the same data. */
export function chosenGroups(
  groups: readonly RunGroup[],
  first: string | null,
  second: string | null,
): [RunGroup | undefined, RunGroup | undefined] {
  const found = (key: string | null) => groups.find((group) => group.rows.some(({ id }) => id === key));
  const [one, two] = [found(first), found(second)];
  if (one && two) return [one, two];
  const named = one ?? two;
  if (named) {
    const other =
      groups.find((group) => group !== named && isSameData(group, named)) ??
      groups.find((group) => group !== named);
    return one ? [one, other] : [other, two];
  }
  for (const after of groups) {
    const before = groups.find((group) => group !== after && isSameData(group, after));
    if (before) return [before, after];
  }
  return [groups[1], groups[0]];
}

/** Whether they were trained and validated on the same rows, as far as their settings say. */
function isSameData(one: RunGroup, two: RunGroup): boolean {
  const [a, b] = [one.rows[0]!, two.rows[0]!];
  return (
    a.dataset === b.dataset &&
    Object.keys(a.settings).every(
      (field) => !field.startsWith('data.') || a.settings[field] === b.settings[field],
    )
  );
}
