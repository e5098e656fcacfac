// Decide: set the price, and see what it buys. On validation; test stays sealed until a decision is saved.

import { countText } from '@anyclass/kit';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { NoRun } from '../../parts/NoRun.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { chosenRun } from '../../state/runs.js';
import { ask } from '../../state/server.js';
import type { DecideSetup } from '../../wire/decide.js';
import type { RunRow } from '../../wire/runs.js';
import { budgetOf, roundShare, settingsOf } from './budgets.js';
import { Changes } from './Changes.js';
import { Metrics } from './Metrics.js';
import type { Budget, Judged, LoadedRows } from './messages.js';
import { Presence } from './Presence.js';
import { Promised } from './Promised.js';
import { RunCurves } from './RunCurves.js';
import { Saving } from './Saving.js';
import { SealedTest } from './SealedTest.js';
import { judge, load, sessions } from './session.js';
import { shareAt, shownBudget } from './shown.js';
import { Work } from './Work.js';

export function DecideView() {
  const row = chosenRun.value;
  if (!row) return <NoRun />;
  if (row.state !== 'finished' && row.decidedF1 === null)
    return (
      <p class="quiet empty">
        {row.id} is {row.state}; its scores are saved when it finishes.
      </p>
    );
  return <Decide key={row.id} row={row} />;
}

function useSetup(run: string): [DecideSetup | undefined, string | undefined, (setup: DecideSetup) => void] {
  const [setup, setSetup] = useState<DecideSetup>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const aborted = new AbortController();
    ask<DecideSetup>('decisions', { run }, aborted.signal).then(setSetup, (error) => {
      if (!aborted.signal.aborted) setProblem(String(error.message ?? error));
    });
    return () => aborted.abort();
  }, [run]);
  return [setup, problem, setSetup];
}

function Decide({ row }: { readonly row: RunRow }) {
  const run = row.id;
  const [setup, problem, setSetup] = useSetup(run);
  useEffect(() => load(run, `${row.started} ${row.epoch}`), [run]);
  const session = sessions.value.get(run) ?? {};
  const failed = problem ?? session.problem;
  if (failed !== undefined) return <p class="warning">{failed}</p>;
  if (!setup || !session.loaded) return <p class="quiet empty">Reading the scores…</p>;
  return (
    <Loaded row={row} setup={setup} onSetup={setSetup} loaded={session.loaded} judged={session.judged} />
  );
}

interface LoadedProps {
  readonly row: RunRow;
  readonly setup: DecideSetup;
  readonly onSetup: (setup: DecideSetup) => void;
  readonly loaded: LoadedRows;
  readonly judged: Judged | undefined;
}

function Loaded({ row, setup, onSetup, loaded, judged }: LoadedProps) {
  const run = row.id;
  const state = address.value;
  const saved = setup.saved.find(({ name }) => name === (state.get('saved') ?? '')) ?? setup.saved[0]!;
  const from = budgetOf(saved.decision);
  const budget = shownBudget(from);
  const isOwn = ({ falseAlarms, missed }: Budget) =>
    falseAlarms === from.falseAlarms && missed === from.missed;
  const isSaved = isOwn(budget);
  const settings = useMemo(() => settingsOf(saved.decision), [saved]);
  const askFor = (asked: Budget) =>
    judge({ run, budget: asked, settings, saved: saved.decision, isSaved: isOwn(asked) });
  // Before the page is painted: the worker can start a frame earlier.
  useLayoutEffect(() => askFor(budget), [run, budget.falseAlarms, budget.missed, settings, saved]);
  const set = (next: Partial<Budget>) => {
    // As it is now: keys and pointers come faster than the page is drawn.
    const both = { ...shownBudget(from), ...next };
    // Before the page is drawn again, too.
    askFor(both);
    go(
      {
        budget: both.falseAlarms === from.falseAlarms ? null : both.falseAlarms,
        missed: both.missed === from.missed ? null : (both.missed ?? 'off'),
      },
      'replace',
    );
  };
  const step = ({ alarm = 0, missed = 0 }: { readonly alarm?: number; readonly missed?: number }) => {
    const now = shownBudget(from);
    if (alarm !== 0) set({ falseAlarms: roundShare(now.falseAlarms + 0.001 * alarm) });
    if (missed !== 0) set({ missed: roundShare((now.missed ?? 0.05) + 0.005 * missed) });
  };
  const reset = () => go({ budget: null, missed: null }, 'replace');
  useShortcuts([
    { key: 'ArrowLeft', shown: '←', act: () => step({ alarm: -1 }) },
    { key: 'ArrowRight', shown: '← →', text: 'budget −, + 0.1%', act: () => step({ alarm: 1 }) },
    { key: 'Shift+ArrowLeft', act: () => step({ alarm: -10 }) },
    { key: 'Shift+ArrowRight', shown: '⇧ ← →', text: 'budget −, + 1%', act: () => step({ alarm: 10 }) },
    { key: '[', shown: '[ ]', text: 'missed share −, +', act: () => step({ missed: -1 }) },
    { key: ']', act: () => step({ missed: 1 }) },
    { key: 'r', text: 'back to the saved one', act: reset },
    {
      key: 's',
      text: 'save',
      act: () => document.querySelector<HTMLInputElement>('#decision-name')?.focus(),
    },
  ]);
  // The handles move before the answer is there; until then these stay.
  const changes = useMemo(
    () => judged && <Changes run={run} instance={row.instance} judged={judged} />,
    [run, row.instance, judged],
  );
  if (!judged) return <p class="quiet empty">Fitting…</p>;
  const canHaveNone = from.missed === null;
  return (
    <section class="decide">
      <Saving
        setup={setup}
        saved={saved}
        budget={budget}
        isSaved={isSaved}
        run={run}
        onSetup={onSetup}
        onReset={reset}
      />
      <Promised judged={judged} settings={settings} loaded={loaded} row={row} split={setup.fittingSplit} />
      <Metrics
        judged={judged}
        loaded={loaded}
        test={
          <SealedTest key={`${run} ${saved.name}`} run={run} setup={setup} saved={saved} isSaved={isSaved} />
        }
      />
      <div class="columns charts">
        <div class="panel">
          <h3>
            Presence of {countText(loaded.rows)} validation {row.instance}s{' '}
            <small>drag the handles; bar height is the root of the count</small>
          </h3>
          <Presence
            judged={judged}
            loaded={loaded}
            budget={budget}
            onAlarmAt={(logit) => set({ falseAlarms: shareAt(judged, logit, loaded, 'alarm') })}
            onClearAt={(logit) => set({ missed: shareAt(judged, logit, loaded, 'missed') })}
            onStep={step}
          />
          <label class="small">
            <input
              type="checkbox"
              checked={budget.missed !== null}
              disabled={!canHaveNone}
              onChange={() => set({ missed: budget.missed === null ? 0.05 : null })}
            />{' '}
            leave {row.instance}s to review: limit the positives that are cleared
          </label>
        </div>
        <RunCurves
          row={row}
          budget={budget}
          judged={judged}
          loaded={loaded}
          onBudget={(share) => set({ falseAlarms: roundShare(share) })}
          onStep={(steps) => step({ alarm: steps })}
          saved={saved}
        />
      </div>
      <div class="work-row">
        <Work judged={judged} loaded={loaded} instance={row.instance} />
        {changes}
      </div>
    </section>
  );
}
