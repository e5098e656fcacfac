import { useEffect, useMemo } from 'preact/hooks';
import { splitId } from '../../parts/numbers.js';
import { address, go } from '../../state/address.js';
import { runList, runsById } from '../../state/runs.js';
import type { SavedDecision } from '../../wire/decide.js';
import type { RunRow } from '../../wire/runs.js';
import { budgetOf, curveBudgets, settingsOf } from './budgets.js';
import type { Budget, Judged, LoadedRows } from './messages.js';
import { drawCurve, load, sessions } from './session.js';
import { TradeOff, type TradeOffMetric, tradeOffMetrics } from './TradeOff.js';

/** Curves of this run, and of those that the address names beside it. */
export function RunCurves(props: {
  readonly row: RunRow;
  readonly saved: SavedDecision;
  readonly budget: Budget;
  readonly judged: Judged;
  readonly loaded: LoadedRows;
  readonly onBudget: (share: number) => void;
  readonly onStep: (steps: number) => void;
}) {
  const { row, saved, budget, judged, loaded, onBudget, onStep } = props;
  const asked = address.value.get('metric');
  const metric: TradeOffMetric = asked === 'recall' || asked === 'review' ? asked : 'f1';
  const others = (address.value.get('also')?.split('\n') ?? [])
    .filter((id) => id !== row.id && runsById.value.has(id))
    .slice(0, 3);
  const settings = useMemo(() => settingsOf(saved.decision), [saved]);
  const runs = [row.id, ...others];
  const ready = runs.filter((id) => sessions.value.get(id)?.loaded !== undefined).join('\n');
  useEffect(() => {
    for (const id of others) load(id, `${runsById.value.get(id)?.started}`);
  }, [others.join('\n')]);
  // Only review depends on the second limit; the others need not be drawn again while it moves.
  const missed =
    metric === 'review'
      ? budget.missed
      : saved.decision.clear === null
        ? null
        : budgetOf(saved.decision).missed;
  useEffect(() => {
    const wait = setTimeout(() => {
      for (const run of ready.split('\n').filter((id) => id !== ''))
        drawCurve({ run, missed, settings, budgets: curveBudgets });
    }, 250);
    return () => clearTimeout(wait);
  }, [ready, missed, settings]);
  const value = {
    f1: judged.macroF1,
    recall: judged.positives[2] / Math.max(1, loaded.positives),
    review: (judged.positives[1] + judged.negatives[1]) / Math.max(1, loaded.positives + loaded.negatives),
  }[metric];
  const lines = runs.map((id, i) => ({
    name: splitId(id).name,
    points: sessions.value.get(id)?.curve ?? [],
    isChosen: i === 0,
  }));
  const candidatesToAdd = (runList.value?.rows ?? []).filter(
    ({ id, state, isArchived }) => state === 'finished' && !isArchived && !runs.includes(id),
  );
  return (
    <div class="panel">
      <h3>
        <label class="hidden-text" for="metric">
          Metric
        </label>
        <span>
          <select
            id="metric"
            value={metric}
            onChange={(event) =>
              go({ metric: event.currentTarget.value === 'f1' ? null : event.currentTarget.value }, 'replace')
            }
          >
            {Object.entries(tradeOffMetrics).map(([key, { name }]) => (
              <option key={key} value={key}>
                {name[0]?.toUpperCase()}
                {name.slice(1)}
              </option>
            ))}
          </select>{' '}
          by budget
        </span>{' '}
        <small>drag the line</small>
      </h3>
      <TradeOff
        lines={lines}
        metric={metric}
        budget={budget.falseAlarms}
        value={value}
        onBudget={onBudget}
        onStep={onStep}
      />
      <div class="beside small">
        {others.map((id) => (
          <button
            key={id}
            type="button"
            class="button quiet-button"
            onClick={() => go({ also: others.filter((other) => other !== id).join('\n') }, 'replace')}
          >
            <bdi>{splitId(id).name}</bdi> ×
          </button>
        ))}
        {others.length < 3 && candidatesToAdd.length > 0 && (
          <select
            aria-label="Another run on this chart"
            value=""
            onChange={(event) => go({ also: [...others, event.currentTarget.value].join('\n') }, 'replace')}
          >
            <option value="">+ another run</option>
            {candidatesToAdd.slice(0, 300).map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        )}
      </div>
    </div>
  );
}
