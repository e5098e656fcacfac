// What the comparison says.

import { countText, dumbbells, type ForestRow, forest, percentText, signedPoints } from '@anyclass/kit';
import { Html } from '../../parts/Html.js';
import { sourceOf } from '../../state/server.js';
import type { RunGroup } from './groups.js';
import type { Compared, ComparedImages, ComparedMetric } from './messages.js';

export function Result({
  compared,
  first,
  second,
  split,
}: {
  readonly compared: Compared;
  readonly first: RunGroup;
  readonly second: RunGroup;
  readonly split: string;
}) {
  const { metrics, classes, images, replicates, rows, sharedSeeds } = compared;
  const f1 = metrics.find(({ name }) => name.startsWith('F1 at'));
  const { id: run, instance } = second.rows[0]!;
  const named = classes.filter(({ f1: each }) => each !== null);
  return (
    <>
      <h1>{f1 ? headline(f1, second.name) : 'There is no F1 to compare.'}</h1>
      <p class="small quiet">
        {split === 'test'
          ? 'On test, with decisions fitted on validation'
          : 'On validation, where the decisions were fitted: look here, and conclude on test'}
        ; {countText(rows)} {instance}s, {countText(replicates)} bootstrap replicates over {instance}s with
        decisions held fixed, 95% intervals;{' '}
        {sharedSeeds === 0
          ? 'no seed is shared'
          : `${sharedSeeds} shared ${sharedSeeds === 1 ? 'seed' : 'seeds'}`}
        . <code>anyclass report</code> also refits the decisions in each draw.
      </p>
      <div class="columns two">
        <div class="panel">
          <h3>Differences, in points</h3>
          <Differences
            label={`Difference of ${second.name} from ${first.name}`}
            rows={metrics.map(forestRow)}
          />
        </div>
        <div class="panel">
          <h3>F1 at the budget by class</h3>
          <Html
            text={dumbbells(
              'F1 by class',
              { before: 'before', after: 'after' },
              named.map(({ name, f1: each }) => ({
                name,
                before: each?.first ?? null,
                after: each?.second ?? null,
              })),
            )}
          />
        </div>
      </div>
      <div class="columns two">
        <div class="panel">
          <h3>F1 by class, in points</h3>
          <Differences
            label={'Difference in F1 by class'}
            rows={classes.flatMap(({ f1: each }) => (each ? [forestRow(each)] : []))}
          />
        </div>
        <div class="panel">
          <h3>AP by class, in points</h3>
          <Differences
            label={'Difference in AP by class'}
            rows={classes.flatMap(({ ap }) => (ap ? [forestRow(ap)] : []))}
          />
        </div>
      </div>
      {images.map((each) => (
        <Images key={each.kind} images={each} run={run} split={split} />
      ))}
    </>
  );
}

/** Drawn twice: a phone has no room for names and numbers beside the marks. */
function Differences({ label, rows }: { readonly label: string; readonly rows: readonly ForestRow[] }) {
  const groups = [{ title: '', rows }];
  return (
    <>
      <Html class="wide-only" text={forest(label, groups)} />
      <Html class="phone-only" text={forest(label, groups, { isNarrow: true })} />
    </>
  );
}

/** `holds`: the interval excludes 0, and every seed agrees. */
function stateOf({ low, high, value, seeds }: ComparedMetric): ForestRow['state'] {
  if (low <= 0 && high >= 0) return 'open';
  return seeds.every((seed) => Math.sign(seed) === Math.sign(value)) ? 'holds' : 'interval';
}

function forestRow(metric: ComparedMetric): ForestRow {
  const { name, value, low, high, seeds, isMoreBetter } = metric;
  return { name, value, low, high, seeds, state: stateOf(metric), isBetter: value > 0 === isMoreBetter };
}

function headline(f1: ComparedMetric, name: string): string {
  const range = `${signedPoints(f1.value)} points of F1 (${signedPoints(f1.low)} to ${signedPoints(f1.high)})`;
  if (stateOf(f1) === 'open') return `No clear difference: ${range}.`;
  return `${name} is ${f1.value > 0 ? 'better' : 'worse'}: ${range}.`;
}

const tones = {
  'newly missed': 'missed',
  'newly found': 'found',
  'new false alarms': 'false-alarm',
  'false alarms gone': 'clear',
} as const;

function Images({
  images,
  run,
  split,
}: {
  readonly images: ComparedImages;
  readonly run: string;
  readonly split: string;
}) {
  const { kind, count, rows } = images;
  if (count === 0) return null;
  return (
    <div class="panel">
      <h3 class={tones[kind]}>
        {countText(count)} {kind}{' '}
        <small>the clearest first; share of the runs that alarm, before → after</small>
      </h3>
      <ul class="changes">
        {rows.map(({ row, classes, first, second }) => (
          <li key={row}>
            <span class="shot">
              <img
                src={sourceOf('picture', { run, row, split })}
                alt={classes.join(', ') || 'negative'}
                loading="lazy"
              />
            </span>
            <b class={tones[kind]}>
              {percentText(first, 0)}% → {percentText(second, 0)}%
            </b>
            <bdi>{classes.join(', ') || 'negative'}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
