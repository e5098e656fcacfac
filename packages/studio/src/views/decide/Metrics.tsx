// The numbers that move with the handles, each with its difference from the saved decision.

import { countText, percentText, signedPoints } from '@anyclass/kit';
import type { ComponentChildren } from 'preact';
import type { ByOutcome, Judged, LoadedRows } from './messages.js';

export function Metrics({
  judged,
  loaded,
  test,
}: {
  readonly judged: Judged;
  readonly loaded: LoadedRows;
  readonly test: ComponentChildren;
}) {
  const { macroF1, positives, negatives, saved } = judged;
  const review = (counts: readonly [ByOutcome, ByOutcome]) => counts[0][1] + counts[1][1];
  const f1 = signedPoints(macroF1 - saved.macroF1);
  return (
    <dl class="figures six">
      <Cell
        name="F1"
        value={percentText(macroF1)}
        delta={Number(f1.replace('−', '-')) === 0 ? 'as saved' : `${f1} from saved`}
      />
      <Cell
        name="Found: alarm"
        tone="found"
        value={countText(positives[2])}
        of={loaded.positives}
        delta={difference(positives[2], saved.positives[2])}
      />
      <Cell
        name="False alarms"
        tone="false-alarm"
        value={countText(negatives[2])}
        of={loaded.negatives}
        delta={difference(negatives[2], saved.negatives[2])}
      />
      <Cell
        name="To review"
        tone="review"
        value={countText(review([positives, negatives]))}
        of={loaded.positives + loaded.negatives}
        delta={difference(review([positives, negatives]), review([saved.positives, saved.negatives]))}
      />
      <Cell
        name="Missed: cleared"
        tone="missed"
        value={countText(positives[0])}
        of={loaded.positives}
        delta={difference(positives[0], saved.positives[0])}
      />
      <div>
        <dt>Test</dt>
        {test}
      </div>
    </dl>
  );
}

function Cell(props: {
  readonly name: string;
  readonly value: string;
  readonly of?: number;
  readonly delta: string;
  readonly tone?: string;
}) {
  const { name, value, of, delta, tone = '' } = props;
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone}>
        {value}
        {of !== undefined && <small>of {countText(of)}</small>}
      </dd>
      <dd class="delta">{delta}</dd>
    </div>
  );
}

function difference(now: number, saved: number): string {
  if (now === saved) return 'as saved';
  return `${now > saved ? '+' : '−'}${countText(Math.abs(now - saved))} from saved`;
}
