// A line of the table: a run, or several that differ in their seed alone.

import { agoText, durationText, metricText, percent, splitId } from '../../parts/numbers.js';
import { copied, RunActions } from '../../parts/RunActions.js';
import { countName, groupName, RunName } from '../../parts/RunName.js';
import { Spark } from '../../parts/Spark.js';
import { linkTo } from '../../state/address.js';
import type { RunRow, Setting } from '../../wire/runs.js';
import { meanOf, type TableLine } from './groups.js';

export function Line(props: {
  readonly line: TableLine;
  readonly fields: readonly string[];
  readonly template: string;
  readonly onToggle: (rows: readonly RunRow[]) => void;
}) {
  const { line, fields, template, onToggle } = props;
  if (line.kind === 'run')
    return <RunLine row={line.row} isInner={line.isInner} fields={fields} template={template} />;
  const { rows, isOpen } = line;
  const [first] = rows;
  const live = rows.filter(({ state }) => state === 'running' || state === 'starting').length;
  const bad = rows.filter(({ state }) => state === 'failed' || state === 'lost').length;
  const done = rows.filter(({ state }) => state === 'finished').length;
  const stopped = rows.length - live - bad - done;
  const states = [
    done > 0 ? `${done} finished` : '',
    live > 0 ? `${live} running` : '',
    bad > 0 ? `${bad} failed` : '',
    stopped > 0 ? `${stopped} interrupted` : '',
  ];
  return (
    <div class="run-line group" role="row" style={{ '--columns': template }}>
      <span role="cell" class="name">
        <button type="button" class="disclose" aria-expanded={isOpen} onClick={() => onToggle(rows)}>
          {isOpen ? '▾' : '▸'}
          <b>
            <RunName name={groupName(rows)} />
          </b>
          <small>{countName(rows)}</small>
        </button>
      </span>
      <span role="cell" class="state small quiet">
        {states.filter((text) => text !== '').join(', ')}
      </span>
      <span role="cell" class="sparks">
        {rows.slice(0, 1).map((row) => (
          <Spark key={row.id} values={row.curve} state={row.state} done={row.progress} />
        ))}
      </span>
      <Spread values={rows.map(({ best }) => best)} metric={first?.metric ?? ''} />
      <Spread values={rows.map(({ decidedF1 }) => decidedF1)} metric="F1" class="decided" />
      <Spread values={rows.map(({ decidedFalseAlarms }) => decidedFalseAlarms)} metric="" unit="%" />
      {fields.map((field) => (
        <span role="cell" class="field" key={field}>
          {shortSetting(first?.settings[field] ?? null)}
        </span>
      ))}
    </div>
  );
}

/** A mean over seeds, with its range. */
function Spread({
  values,
  metric,
  unit = '',
  class: name = '',
}: {
  readonly values: readonly (number | null)[];
  readonly metric: string;
  readonly unit?: string;
  readonly class?: string;
}) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0)
    return (
      <span role="cell" class="number faint">
        –
      </span>
    );
  const range = `${metricText(metric, Math.min(...known))} to ${metricText(metric, Math.max(...known))} over ${known.length} runs`;
  return (
    <span role="cell" class={`number ${name}`} title={range}>
      {metricText(metric, meanOf(known))}
      {unit}
    </span>
  );
}

function RunLine(props: {
  readonly row: RunRow;
  readonly isInner: boolean;
  readonly fields: readonly string[];
  readonly template: string;
}) {
  const { row, isInner, fields, template } = props;
  const { name, place } = splitId(row.id);
  return (
    <div
      class={`run-line${isInner ? ' inner' : ''}${row.isArchived ? ' archived' : ''}`}
      role="row"
      style={{ '--columns': template }}
    >
      <span role="cell" class="name">
        <a href={linkTo({ view: 'run', run: row.id })} title={row.id}>
          <RunName name={name} />
        </a>
        <small>
          <bdi>
            {[place, isInner ? `seed ${row.seed}` : '', agoText(row.started)]
              .filter((text) => text !== '')
              .join(' · ')}
          </bdi>
        </small>
      </span>
      <StateCell row={row} />
      <span role="cell" class="sparks">
        <Spark values={row.curve} state={row.state} done={row.progress} />
      </span>
      <span role="cell" class="number" title={row.metric}>
        {metricText(row.metric, row.best)}
      </span>
      <span role="cell" class="number decided">
        {percent(row.decidedF1)}
      </span>
      <span role="cell" class="number" title={row.budget === null ? '' : `budget ${percent(row.budget)}%`}>
        {row.decidedFalseAlarms === null ? '–' : `${percent(row.decidedFalseAlarms)}%`}
      </span>
      {fields.map((field) => (
        <span role="cell" class="field" title={settingText(row.settings[field] ?? null)} key={field}>
          <bdi>{shortSetting(row.settings[field] ?? null)}</bdi>
        </span>
      ))}
      <span role="cell" class="acts">
        <RunActions row={row} />
      </span>
    </div>
  );
}

/** What a run does, or why it does nothing any more and what to do. */
function StateCell({ row }: { readonly row: RunRow }) {
  const { state, doing, epoch, epochs, secondsLeft, message, progress, resume } = row;
  if (state === 'running' || state === 'starting')
    return (
      <span role="cell" class="state" title={doing}>
        <span class="small">
          <i class="live" />
          {state === 'starting' ? 'starting' : `epoch ${Math.min(epoch + 1, epochs)} of ${epochs}`}
          {secondsLeft !== null && `, ${durationText(secondsLeft)} left`}
        </span>
        <progress value={progress} max={1} aria-label="Done" />
      </span>
    );
  const isBad = state === 'failed' || state === 'lost';
  return (
    <span role="cell" class="state" title={[message, resume].filter((text) => text !== '').join('\n')}>
      <span class={`small ${isBad ? 'missed' : 'quiet'}`}>{state}</span>
      {resume !== '' && (
        <button type="button" class="link small" onClick={() => copied(resume)}>
          copy resume
        </button>
      )}
      <small class="reason">
        {isBad
          ? message || 'no reason is logged'
          : state === 'interrupted'
            ? `after epoch ${epoch} of ${epochs}`
            : `${epoch} ${epoch === 1 ? 'epoch' : 'epochs'}`}
      </small>
    </span>
  );
}

function settingText(value: Setting): string {
  if (value === null) return '–';
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value);
}

/** A setting in a narrow column: of a path, its last part. */
function shortSetting(value: Setting): string {
  const text = settingText(value);
  return text.startsWith('/') ? (text.split('/').findLast((part) => part !== '') ?? text) : text;
}
