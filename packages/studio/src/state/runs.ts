// The list of runs, kept up to date by the server.

import { computed, signal } from '@preact/signals';
import type { RunChanges, RunList, RunRow } from '../wire/runs.js';
import { address } from './address.js';

/** Undefined before the first answer. */
export const runList = signal<RunList | undefined>(undefined);

/** Whether the server answers. */
export const isConnected = signal(true);

export const runsById = computed(() => new Map(runList.value?.rows.map((row) => [row.id, row])));

/** The run that the address names, or the newest one. */
export const chosenRun = computed<RunRow | undefined>(() => {
  const id = address.value.get('run');
  if (id !== null) return runsById.value.get(id);
  return newestFirst(runList.value?.rows ?? []).find(({ isArchived }) => !isArchived);
});

export function newestFirst(rows: readonly RunRow[]): RunRow[] {
  return [...rows].sort((a, b) =>
    a.started < b.started ? 1 : a.started > b.started ? -1 : a.id < b.id ? -1 : 1,
  );
}

/** Listeners for events of other kinds, by name. */
const listeners = new Map<string, Set<(data: unknown) => void>>();
let source: EventSource | undefined;

/** Listens to the server. */
export function connect(): void {
  source = new EventSource('/api/live');
  source.addEventListener('open', () => {
    isConnected.value = true;
  });
  source.addEventListener('error', () => {
    isConnected.value = false;
  });
  source.addEventListener('list', (event) => {
    isConnected.value = true;
    runList.value = JSON.parse(event.data);
  });
  source.addEventListener('changes', (event) => {
    const changes: RunChanges = JSON.parse(event.data);
    if (runList.value) runList.value = withChanges(runList.value, changes);
  });
  for (const name of listeners.keys()) listen(name);
}

function listen(name: string): void {
  source?.addEventListener(name, (event) => {
    for (const listener of listeners.get(name) ?? []) listener(JSON.parse(event.data));
  });
}

/**
 * Listens to events of a kind that the server tells (`live.tell`).
 *
 * @returns a function that stops it
 */
export function onServerEvent(name: string, listener: (data: unknown) => void): () => void {
  const set = listeners.get(name) ?? new Set();
  if (!listeners.has(name)) {
    listeners.set(name, set);
    listen(name);
  }
  set.add(listener);
  return () => set.delete(listener);
}

function withChanges(list: RunList, { changed, removed, differing }: RunChanges): RunList {
  const rows = new Map(list.rows.map((row) => [row.id, row]));
  for (const id of removed) rows.delete(id);
  for (const row of changed) rows.set(row.id, row);
  return { ...list, rows: [...rows.values()], differing };
}
