import { triageBars } from '@anyclass/kit';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { address, go } from '../../state/address.js';
import type { RunRow } from '../../wire/runs.js';
import type { Judged, LoadedRows } from './messages.js';
import { shareIn } from './shown.js';

/** The work that the decision makes of 1,000 rows, at any share of positives. */
export function Work(props: {
  readonly judged: Judged;
  readonly loaded: LoadedRows;
  readonly instance: RunRow['instance'];
}) {
  const { judged, loaded, instance } = props;
  const { positives, negatives } = loaded;
  const own = positives / Math.max(1, positives + negatives);
  const share = shareIn(address.value.get('prevalence')) ?? own;
  const at = (outcome: 0 | 1 | 2) => ({
    positive: (1000 * share * judged.positives[outcome]) / Math.max(1, positives),
    negative: (1000 * (1 - share) * judged.negatives[outcome]) / Math.max(1, negatives),
  });
  const hasReview = judged.clearAt !== null;
  return (
    <div class="panel">
      <h3>Of 1,000 {instance}s</h3>
      <Html text={triageBars({ clear: at(0), ...(hasReview && { review: at(1) }), alarm: at(2) })} />
      <div class="range">
        <label for="prevalence">positive in the field</label>
        <input
          id="prevalence"
          type="range"
          min="0.001"
          max="0.6"
          step="0.001"
          value={share}
          onInput={(event) => go({ prevalence: event.currentTarget.value }, 'replace')}
        />
        <output>{percent(share)}%</output>
      </div>
      <p class="tiny faint">Limits hold at any share of positives; only the work changes.</p>
    </div>
  );
}
