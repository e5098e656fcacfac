import { countText } from '@anyclass/kit';
import { useState } from 'preact/hooks';
import { percent } from '../../parts/numbers.js';
import { attempt, send } from '../../state/server.js';
import type { DecideSetup, SavedDecision, TestMetrics } from '../../wire/decide.js';

/** Test metrics of a saved decision, on request; that they were seen is noted. */
export function SealedTest({
  run,
  setup,
  saved,
  isSaved,
}: {
  readonly run: string;
  readonly setup: DecideSetup;
  readonly saved: SavedDecision;
  readonly isSaved: boolean;
}) {
  const [test, setTest] = useState<TestMetrics>();
  if (!setup.hasTest)
    return (
      <>
        <dd>–</dd>
        <dd class="delta">no labeled test split</dd>
      </>
    );
  if (!isSaved)
    return (
      <>
        <dd>sealed</dd>
        <dd class="delta">opens for a saved decision</dd>
      </>
    );
  if (!test)
    return (
      <>
        <dd>sealed</dd>
        <dd class="delta">
          <button
            type="button"
            class="button quiet-button"
            onClick={() =>
              void attempt(async () =>
                setTest(await send<TestMetrics>('decisions/test', { run }, { name: saved.name })),
              )
            }
          >
            Open
          </button>
          {setup.testSeen === null ? '(will be noted)' : '(opened before)'}
        </dd>
      </>
    );
  const { metrics, positives, negatives, isAfterTest } = test;
  const all = (counts: TestMetrics['positives']) => counts.clear + counts.review + counts.alarm;
  return (
    <>
      <dd>
        {percent(metrics.macroF1)}
        <small>F1</small>
      </dd>
      <dd class="delta">
        {countText(positives.alarm)} of {countText(all(positives))} found, {countText(negatives.alarm)} of{' '}
        {countText(all(negatives))} false alarms
        {isAfterTest && <b class="missed">; chosen after test was seen</b>}
      </dd>
    </>
  );
}
