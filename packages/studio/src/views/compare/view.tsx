// Compare: two groups of runs on the same rows, with intervals, by class, and the images on which they disagree.

import { useEffect, useRef, useState } from 'preact/hooks';
import { startWorker } from '../../parts/workers.js';
import { address, go } from '../../state/address.js';
import { runList } from '../../state/runs.js';
import { askBytes, attempt, send } from '../../state/server.js';
import type { RunRow } from '../../wire/runs.js';
import { chosenGroups, comparableGroups, type RunGroup } from './groups.js';
import type { CompareAnswer, Compared, ComparedRun, CompareQuestion } from './messages.js';
import { Result } from './Result.js';

const budgets = [0.01, 0.02, 0.05, 0.1, 0.2];

export function CompareView() {
  const groups = comparableGroups(runList.value?.rows ?? []);
  const state = address.value;
  const [first, second] = chosenGroups(groups, state.get('a'), state.get('b'));
  if (!first || !second)
    return (
      <p class="quiet empty">
        Comparing takes two finished runs, or two groups of runs that differ in their seeds.
      </p>
    );
  return <Two groups={groups} first={first} second={second} />;
}

function Two({
  groups,
  first,
  second,
}: {
  readonly groups: readonly RunGroup[];
  readonly first: RunGroup;
  readonly second: RunGroup;
}) {
  const split = address.value.get('split') === 'test' ? 'test' : 'validation';
  const asked = Number(address.value.get('budget') ?? 0.05);
  const budget = asked > 0 && asked < 1 ? asked : 0.05;
  const answer = useCompared(first, second, split, budget);
  const choose = (side: 'a' | 'b') => (event: { readonly currentTarget: HTMLSelectElement }) =>
    go({ [side]: event.currentTarget.value });
  const openTest = () =>
    attempt(async () => {
      await send(
        'test/open',
        {},
        { runs: [...first.rows, ...second.rows].map(({ id }) => id), view: 'compare' },
      );
      go({ split: 'test' });
    });
  return (
    <section class="compare">
      <div class="tools">
        <Choice label="Before" groups={groups} value={first} onChange={choose('a')} />
        <span aria-hidden="true">→</span>
        <Choice label="After" groups={groups} value={second} onChange={choose('b')} />
        <label>
          <span class="small quiet">false alarms</span>{' '}
          <select value={budget} onChange={(event) => go({ budget: event.currentTarget.value }, 'replace')}>
            {[...new Set([...budgets, budget])]
              .sort((a, b) => a - b)
              .map((share) => (
                <option key={share} value={share}>
                  {Number((100 * share).toFixed(2))}%
                </option>
              ))}
          </select>
        </label>
        {split === 'validation' ? (
          <button
            type="button"
            class="button"
            onClick={() => void openTest()}
            title="It is noted in the runs that test metrics were seen"
          >
            Open test
          </button>
        ) : (
          <button type="button" class="button" onClick={() => go({ split: null })}>
            Back to validation
          </button>
        )}
      </div>
      <Differing first={first.rows[0]!} second={second.rows[0]!} />
      {'problem' in answer ? (
        <p class="warning">{answer.problem}</p>
      ) : answer.compared === undefined ? (
        <p class="quiet empty">Comparing…</p>
      ) : (
        <Result compared={answer.compared} first={first} second={second} split={split} />
      )}
    </section>
  );
}

function Choice(props: {
  readonly label: string;
  readonly groups: readonly RunGroup[];
  readonly value: RunGroup;
  readonly onChange: (event: { readonly currentTarget: HTMLSelectElement }) => void;
}) {
  const { label, groups, value, onChange } = props;
  return (
    <label>
      <span class="small quiet">{label.toLowerCase()}</span>{' '}
      <select value={value.key} onChange={onChange}>
        {groups.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** In which settings the groups differ. */
function Differing({ first, second }: { readonly first: RunRow; readonly second: RunRow }) {
  const fields = Object.keys(first.settings).filter(
    (field) => first.settings[field] !== second.settings[field],
  );
  if (fields.length === 0) return <p class="small quiet">No setting differs.</p>;
  return (
    <p class="small quiet">
      {fields.map((field, i) => (
        <span key={field}>
          {i > 0 && '; '}
          {field} <bdi>{String(first.settings[field])}</bdi> → <bdi>{String(second.settings[field])}</bdi>
        </span>
      ))}
      {fields.length > 1 && '. Several settings differ, so the cause of a difference is open.'}
    </p>
  );
}

/** Loads the scores of all runs and asks the worker. */
function useCompared(
  first: RunGroup,
  second: RunGroup,
  split: 'validation' | 'test',
  budget: number,
): { compared: Compared | undefined } | { problem: string } {
  const [answer, setAnswer] = useState<{ compared: Compared | undefined } | { problem: string }>({
    compared: undefined,
  });
  const worker = useRef<Worker>(undefined);
  const turn = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);
  const key = [...first.rows, ...second.rows].map(({ id, started }) => `${id} ${started}`).join('\n');
  useEffect(() => {
    const aborted = new AbortController();
    const own = ++turn.current;
    setAnswer({ compared: undefined });
    const loaded = async ({ id, seed }: RunRow): Promise<ComparedRun> => ({
      id,
      seed,
      validation: await askBytes('scores', { run: id }, aborted.signal),
      test: split === 'test' ? await askBytes('scores', { run: id, split }, aborted.signal) : null,
    });
    const ask = async () => {
      const sides = await Promise.all([first, second].map(({ rows }) => Promise.all(rows.map(loaded))));
      worker.current ??= startWorker('compare');
      worker.current.onmessage = ({ data }: MessageEvent<CompareAnswer>) => {
        if (data.turn === turn.current)
          setAnswer('problem' in data ? { problem: data.problem } : { compared: data.compared });
      };
      const question: CompareQuestion = {
        turn: own,
        first: sides[0]!,
        second: sides[1]!,
        budget,
        replicates: 1000,
        seconds: 15,
      };
      if (own === turn.current) worker.current.postMessage(question);
    };
    ask().catch((error) => {
      if (!aborted.signal.aborted)
        setAnswer({ problem: error instanceof Error ? error.message : String(error) });
    });
    return () => aborted.abort();
  }, [key, first.key, second.key, split, budget]);
  return answer;
}
