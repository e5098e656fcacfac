// Labels that are saved, and how they are taken back.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { notify } from '../../state/notices.js';
import { ask, attempt, send } from '../../state/server.js';
import type { Labels, MendState, SavedLabels, SaveRequest } from '../../wire/mend.js';

export interface Saving {
  readonly file: string;
  readonly classes: readonly string[];
  readonly saved: ReadonlyMap<string, SavedLabels>;
  readonly author: string;
  setAuthor(name: string): void;
  /** Saves labels; what fails is told, and nothing has changed. */
  save(name: string, labels: Labels): Promise<void>;
  /** Takes back what was saved last; resolves to its image. */
  undo(): Promise<string | undefined>;
  reload(): void;
}

interface Step {
  readonly name: string;
  readonly before: Labels | null;
}

const authorKey = 'anyclass-author';

/** The labels of a run's data, or of a queue. */
export function useSaving(run: string, queue: string | undefined): Saving | undefined {
  const [state, setState] = useState<MendState>();
  const [author, setAuthor] = useState(() => localStorage.getItem(authorKey));
  const [times, reload] = useState(0);
  useEffect(() => {
    const aborted = new AbortController();
    setState(undefined);
    void attempt(async () => {
      const asked = await ask<MendState>('mend', { run, queue }, aborted.signal);
      if (!aborted.signal.aborted) setState(asked);
    });
    return () => aborted.abort();
  }, [run, queue, times]);
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
  const write = (name: string, labels: Labels | null): Promise<Step | undefined> => {
    const written = last.current.then(async () => {
      const before = known.current.get(name)?.labels ?? null;
      const body: SaveRequest = { name, labels, author: who, replaces: before };
      let step: Step | undefined;
      await attempt(async () => {
        const { saved } = await send<{ saved: SavedLabels | null }>('mend', { run, queue }, body);
        if (saved) known.current.set(name, saved);
        else known.current.delete(name);
        step = { name, before };
      });
      redraw((n) => n + 1);
      return step;
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
      const step = await write(name, labels);
      if (step) steps.current.push(step);
    },
    async undo() {
      await last.current;
      const step = steps.current.pop();
      if (!step) notify('There is nothing to undo');
      return step && (await write(step.name, step.before)) && step.name;
    },
    reload: () => reload((n) => n + 1),
  };
}
