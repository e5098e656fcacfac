// One run: how it goes, how it stands, and what it said.

import { countText } from '@anyclass/kit';
import { useEffect, useState } from 'preact/hooks';
import { NoRun } from '../../parts/NoRun.js';
import { durationText, metricText, percent } from '../../parts/numbers.js';
import { RunActions } from '../../parts/RunActions.js';
import { chosenRun } from '../../state/runs.js';
import { ask, Refused, sourceOf } from '../../state/server.js';
import type { RunDetails, RunLog, RunRow, RunVerdict } from '../../wire/runs.js';
import { LogCurves } from './LogCurves.js';
import { useRunLog } from './log.js';

export function RunView() {
  const row = chosenRun.value;
  return row ? <OneRun key={row.id} row={row} /> : <NoRun />;
}

function OneRun({ row }: { readonly row: RunRow }) {
  const log = useRunLog(row.id, `${row.doing} ${row.state} ${row.epoch}`);
  const details = useDetails(row);
  return (
    <section>
      <div class="head">
        <h1>
          <bdi>{row.id}</bdi>
        </h1>
        <p class="small quiet">
          {[row.dataset, row.network, row.loss, `seed ${row.seed}`].filter((text) => text !== '').join(' · ')}
        </p>
        <div class="tools">
          <RunActions row={row} />
          {details?.hasReport && (
            <a href={sourceOf('run/report', { run: row.id })} target="_blank" rel="noreferrer">
              Report, with test metrics
            </a>
          )}
        </div>
      </div>
      <Standing row={row} />
      {details?.verdict && <Verdict verdict={details.verdict} />}
      {log === undefined && <p class="quiet small">Reading the log…</p>}
      {log === null && <p class="quiet small">This run has no log of events.</p>}
      {log && <LogCurves log={log} />}
      {details && <Configuration details={details} />}
      {log && <LogLines log={log} />}
    </section>
  );
}

function useDetails(row: RunRow): RunDetails | undefined {
  const [details, setDetails] = useState<RunDetails>();
  useEffect(() => {
    const aborted = new AbortController();
    ask<RunDetails>('run', { run: row.id }, aborted.signal).then(setDetails, (error) => {
      if (!(error instanceof Refused) && !aborted.signal.aborted) throw error;
    });
    return () => aborted.abort();
  }, [row.id, row.state]);
  return details;
}

function Standing({ row }: { readonly row: RunRow }) {
  const { state, doing, secondsLeft, message, resume, epoch, epochs, metric, best, progress } = row;
  const isLive = state === 'running' || state === 'starting';
  return (
    <>
      <dl class="figures">
        <div>
          <dt>State</dt>
          <dd class={state === 'failed' || state === 'lost' ? 'missed' : ''}>{state}</dd>
          <dd class="delta">{isLive ? doing : `${epoch} of ${epochs} epochs`}</dd>
        </div>
        <div>
          <dt>{isLive ? 'Time left' : 'Done'}</dt>
          <dd>
            {isLive ? (secondsLeft === null ? '–' : durationText(secondsLeft)) : `${percent(progress, 0)}%`}
          </dd>
          <dd class="delta">{isLive && 'with validation and judging'}</dd>
        </div>
        <div>
          <dt>Best {metric}</dt>
          <dd>{metricText(metric, best)}</dd>
          <dd class="delta">on validation{isAtThreshold(metric) && ', at 0.5'}</dd>
        </div>
        <div>
          <dt>F1, decided</dt>
          <dd>{percent(row.decidedF1)}</dd>
          <dd class="delta">on validation{row.budget !== null && `, budget ${percent(row.budget)}%`}</dd>
        </div>
      </dl>
      {message !== '' && <p class="warning">{message}</p>}
      {resume !== '' && <pre class="sunk">{resume}</pre>}
    </>
  );
}

/** Losses and mAP need no threshold. */
function isAtThreshold(metric: string): boolean {
  return !['mAP', 'loss', 'bce'].includes(metric);
}

function Verdict({ verdict }: { readonly verdict: RunVerdict }) {
  const {
    found,
    positives,
    falseAlarms,
    negatives,
    review,
    missed,
    split,
    promises,
    remarks,
    bestEpoch,
    chosenBy,
  } = verdict;
  const finds = found === null ? '' : `Finds ${countText(found)} of ${countText(positives)} positives; `;
  return (
    <div class="panel">
      <h2>
        {finds}
        {countText(falseAlarms)} of {countText(negatives)} negatives alarm
        {review !== null && `; ${countText(review)} go to review`}
        {missed !== null && `; ${countText(missed)} positives are cleared`}.
      </h2>
      <p class="small quiet">
        On {split}, where the decision was fitted; weights of epoch {bestEpoch}, {chosenBy}.
      </p>
      <ul class="plain">
        {promises.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {remarks.map((text) => (
          <li class="quiet small" key={text}>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Configuration({ details }: { readonly details: RunDetails }) {
  const { configuration, versions, row, folder } = details;
  const differing = new Set(Object.keys(row.settings));
  return (
    <details>
      <summary>
        Configuration <small>{folder}</small>
      </summary>
      <table class="fields">
        <tbody>
          {configuration.map(([field, value]) => (
            <tr key={field} class={differing.has(field) ? 'differs' : ''}>
              <th scope="row">{field}</th>
              <td>
                <bdi>{String(value)}</bdi>
              </td>
            </tr>
          ))}
          {Object.entries(versions).map(([name, version]) => (
            <tr key={name}>
              <th scope="row">version of {name}</th>
              <td>{version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function LogLines({ log }: { readonly log: RunLog }) {
  const lines = log.lines.slice(-1000);
  return (
    <details open>
      <summary>
        Log{' '}
        <small>
          {log.lines.length > lines.length ? `the last ${lines.length} of ${log.lines.length} lines` : ''}
        </small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <ol class="log-lines" tabIndex={0} aria-label="Log">
        {lines.map(({ time, kind, text }, i) => (
          <li key={`${time} ${i}`} class={kind === 'failed' ? 'missed' : ''}>
            <time dateTime={time}>{time.slice(11, 19)}</time> <bdi>{text}</bdi>
          </li>
        ))}
      </ol>
    </details>
  );
}
