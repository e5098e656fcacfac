// Trains again with the corrections, and shows what they changed.

import { useEffect } from 'preact/hooks';
import { useBackground } from '../../parts/background.js';
import { durationText, percent } from '../../parts/numbers.js';
import { address, go, linkTo } from '../../state/address.js';
import { notify } from '../../state/notices.js';
import { onServerEvent, runsById } from '../../state/runs.js';
import { attempt, send } from '../../state/server.js';
import type { RunDifference } from '../../wire/mend.js';

export function Retrain({ run, count }: { readonly run: string; readonly count: number }) {
  const trained = address.value.get('trained');
  useEffect(
    () =>
      onServerEvent('mend-failed', (data) => {
        if (typeof data === 'object' && data !== null && 'reason' in data)
          notify(`Training again failed: ${String(data.reason)}`, { isProblem: true });
      }),
    [],
  );
  const train = () =>
    attempt(async () => {
      const { run: id } = await send<{ run: string }>('mend/train', { run });
      go({ trained: id }, 'replace');
      notify(`${id} starts`);
    });
  return (
    <div class="retrain small">
      <button type="button" class="button" disabled={count === 0} onClick={train}>
        Train again with {count} corrected
      </button>
      {trained !== null && <Trained before={run} after={trained} />}
    </div>
  );
}

function Trained({ before, after }: { readonly before: string; readonly after: string }) {
  const row = runsById.value.get(after);
  const difference = useBackground<RunDifference>(
    'mend/difference',
    row?.state === 'finished' ? { run: after, before } : undefined,
  );
  if (!row) return <p class="quiet">{after} is starting…</p>;
  const isLive = row.state === 'running' || row.state === 'starting';
  return (
    <div>
      <p>
        <a href={linkTo({ view: 'run', run: after })}>
          <bdi>{after}</bdi>
        </a>{' '}
        {isLive ? row.doing || row.state : row.state}
        {isLive && row.secondsLeft !== null && `, ${durationText(row.secondsLeft)} left`}
        {row.message !== '' && `: ${row.message}`}
      </p>
      {difference?.state === 'working' && <p class="quiet">Comparing…</p>}
      {difference?.state === 'failed' && <p class="warning">{difference.reason}</p>}
      {difference?.state === 'ready' && <Difference difference={difference.result} />}
    </div>
  );
}

function Difference({ difference }: { readonly difference: RunDifference }) {
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`;
  return (
    <table class="difference">
      <caption>
        After minus before, on the same {difference.rows} validation images with the corrected labels; 95%
        intervals
      </caption>
      <tbody>
        {difference.metrics.map(({ name, before, after, value, low, high }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              {percent(before)} → {percent(after)}
            </td>
            <td>
              <b>{signed(value)}</b> ({signed(low)} to {signed(high)})
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
