// The images of a run, as the server sends them.

import { useEffect, useState } from 'preact/hooks';
import { askBytes, Refused, reasonOf } from '../../state/server.js';
import type { Background, LookArrays, LookHead, LookSplit } from '../../wire/look.js';

export interface LookTable extends LookHead, LookArrays {
  /** Rows by name. */
  readonly rowOf: ReadonlyMap<string, number>;
}

/** Reads the bytes of `/api/look/table`. */
export function decodeTable(bytes: ArrayBuffer): LookTable {
  const length = new DataView(bytes).getUint32(0, true);
  const head: LookHead = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const rows = head.names.length;
  const cells = rows * head.classes.length;
  let at = 4 + length;
  const next = (byteLength: number) => {
    at += byteLength;
    return at - byteLength;
  };
  return {
    ...head,
    scores: new Float32Array(bytes, next(4 * cells), cells),
    presence: new Float32Array(bytes, next(4 * rows), rows),
    group: new Int32Array(bytes, next(4 * rows), rows),
    targets: new Int8Array(bytes, next(cells), cells),
    predicted: new Uint8Array(bytes, next(cells), cells),
    outcome: new Uint8Array(bytes, next(rows), rows),
    rowOf: new Map(head.names.map((name, row) => [name, row])),
  };
}

export type Loaded<Value> =
  | { readonly state: 'loading'; readonly text?: string }
  /** Sealed: the server shows it once it is noted that test was opened. */
  | { readonly state: 'failed'; readonly reason: string; readonly isSealed?: boolean }
  | { readonly state: 'ready'; readonly value: Value };

/**
 * How far work in the background is, that is not done yet.
 *
 * @example
 * progressOf({ state: 'working', done: 3, total: 9 }, 'Reading') // { state: 'loading', text: 'Reading, 3 of 9…' }
 */
export function progressOf(now: Background<unknown> | undefined, text: string): Loaded<never> {
  if (now?.state === 'failed') return now;
  const isCounted = now?.state === 'working' && now.total > 0;
  return { state: 'loading', text: isCounted ? `${text}, ${now.done} of ${now.total}…` : `${text}…` };
}

/** The tables that were shown last, so that another filter or the back button asks for nothing. */
const kept = new Map<string, Promise<LookTable>>();
const mostKept = 4;

function tableOf(run: string, split: LookSplit, stamp: string): Promise<LookTable> {
  const key = `${run}\n${split}\n${stamp}`;
  const known = kept.get(key);
  if (known) return known;
  const asked = askBytes('look/table', { run, split }).then(decodeTable);
  kept.set(key, asked);
  asked.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return asked;
}

/**
 * Loads the table of a run's split; nothing without a run.
 *
 * @param stamp changes when the run may have new scores
 */
export function useTable(
  run: string | undefined,
  split: LookSplit,
  stamp: string,
): Loaded<LookTable> | undefined {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly now: Loaded<LookTable> }>();
  const key = `${run}\n${split}\n${stamp}`;
  useEffect(() => {
    if (run === undefined) return;
    let isCurrent = true;
    const set = (now: Loaded<LookTable>) => isCurrent && setLoaded({ key, now });
    tableOf(run, split, stamp).then(
      (value) => set({ state: 'ready', value }),
      (error) =>
        set({
          state: 'failed',
          reason: reasonOf(error),
          isSealed: split === 'test' && error instanceof Refused && error.status === 400,
        }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  if (run === undefined) return undefined;
  return loaded?.key === key ? loaded.now : { state: 'loading' };
}

/** The labels of a row. */
export function labelsAt({ classes, targets }: LookTable, row: number): string[] {
  return classes.filter((_, j) => targets[row * classes.length + j] === 1);
}

/** Classes of which it is not known whether the row has them. */
export function unknownAt({ classes, targets }: LookTable, row: number): string[] {
  return classes.filter((_, j) => targets[row * classes.length + j] === -1);
}

/** The predicted classes of a row. */
export function predictedAt({ classes, predicted }: LookTable, row: number): string[] {
  return classes.filter((_, j) => predicted[row * classes.length + j] === 1);
}
