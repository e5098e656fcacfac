import type { RunRow } from '../wire/runs.js';
import { splitId } from './numbers.js';

/** A name, shortened in its middle where there is no room: those of a sweep differ at their ends. */
export function RunName({ name }: { readonly name: string }) {
  const end = name.length > 20 ? name.slice(-11) : '';
  return (
    <span class="run-name">
      <bdi>{name.slice(0, name.length - end.length)}</bdi>
      {end !== '' && <bdi>{end}</bdi>}
    </span>
  );
}

/** How many runs a group has; repeated seeds do not count as seeds. */
export function countName(rows: readonly RunRow[]): string {
  const seeds = new Set(rows.map(({ seed }) => seed)).size;
  return seeds === rows.length ? `${seeds} seeds` : `${rows.length} runs`;
}

/** The name of a group: what its names have in common. */
export function groupName(rows: readonly RunRow[]): string {
  const names = rows.map(({ id }) => splitId(id).name);
  let shared = names[0] ?? '';
  for (const name of names) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.replace(/[-_. ]*(seed)?[-_. ]*$/i, '') || (names[0] ?? '');
}
