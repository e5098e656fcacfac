// Labels that are saved, and how they are taken back.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { notify } from '../../state/notices.js';
import { ask, attempt, send } from '../../state/server.js';
import type { Labels, MendState, SavedChange, SavedLabels, SaveRequest } from '../../wire/mend.js';

export interface Saving {
  readonly file: string;
  readonly classes: readonly string[];
  readonly saved: ReadonlyMap<string, SavedLabels>;
  readonly author: string;
  setAuthor(name: string): void;
  /** Saves labels; what fails is told, and nothing has changed. */
  save(name: string, labels: Labels): Promise<void>;
  /** Notes answers of another program that were saved together: one step to take back. */
  imported(changes: readonly SavedChange[]): void;
  /** Takes back what was saved last; resolves to its image, if it was one. */
  undo(): Promise<string | undefined>;
}

/** What images had before they were saved together. */
type Step = readonly Pick<SavedChange, 'name' | 'before'>[];

const authorKey = 'anyclass-author';

/** The labels of a run's data, or of a queue. */
export function useSaving(run: string, queue: string | undefined): Saving | undefined {
  const [state, setState] = useState<MendState>();
  const [author, setAuthor] = useState(() => localStorage.getItem(authorKey));
  useEffect(() => {
    const aborted = new AbortController();
    setState(undefined);
    void attempt(async () => {
      const asked = await ask<MendState>('mend', { run, queue }, aborted.signal);
      if (!aborted.signal.aborted) setState(asked);
    });
    return () => aborted.abort();
  }, [run, queue]);
  // What is known to be saved, and the last request: keys may come faster than answers and renderings.
  const known = useRef(new Map<string, SavedLabels>());
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const steps = useRef<Step[]>([]);
  const [, redraw] = useState(0);
  // Before keys work, so that nothing saved is forgotten.
  useLayoutEffect(() => {
    known.current = new Map(state?.saved.map((each) => [each.name, each]));
    redraw((n) => n + 1);
  }, [state]);
  useEffect(() => {
    steps.current = [];
  }, [run, queue]);
  if (!state) return undefined;
  const who = author ?? state.author;
  /** Saves all of them or none, after what is being saved. */
  const write = (changes: readonly Omit<SaveRequest, 'replaces'>[]): Promise<Step | undefined> => {
    const written = last.current.then(async () => {
      const step = changes.map(({ name }) => ({ name, before: known.current.get(name) ?? null }));
      const body = changes.map(
        (change, i): SaveRequest => ({ ...change, replaces: step[i]?.before?.labels ?? null }),
      );
      let isWritten = false;
      await attempt(async () => {
        const { saved } = await send<{ saved: SavedLabels[] }>('mend', { run, queue }, body);
        for (const { name } of changes) known.current.delete(name);
        for (const each of saved) known.current.set(each.name, each);
        isWritten = true;
      });
      redraw((n) => n + 1);
      return isWritten ? step : undefined;
    });
    last.current = written;
    return written;
  };
  return {
    file: state.file,
    classes: state.classes,
    saved: known.current,
    author: who,
    setAuthor(name) {
      localStorage.setItem(authorKey, name);
      setAuthor(name);
    },
    async save(name, labels) {
      const step = await write([{ name, labels, author: who }]);
      if (step) steps.current.push(step);
    },
    imported(changes) {
      if (changes.length === 0) return;
      for (const { name, now } of changes) known.current.set(name, now);
      steps.current.push(changes);
      redraw((n) => n + 1);
    },
    async undo() {
      await last.current;
      const step = steps.current.pop();
      if (!step) {
        notify('There is nothing to undo');
        return undefined;
      }
      // What someone else had said is theirs again.
      const back = step.map(({ name, before }) => ({
        name,
        labels: before?.labels ?? null,
        author: before?.author ?? who,
      }));
      if (!(await write(back))) {
        // Still there to be taken back, once the reason is gone.
        steps.current.push(step);
        return undefined;
      }
      if (step.length > 1) notify(`${step.length} answers taken back`);
      return step.length === 1 ? step[0]?.name : undefined;
    },
  };
}
