// The page of a study: the best trial, how every trial went, and what mattered.

import {
  bars,
  command,
  escaped,
  lineChart,
  note,
  type ParallelAxis,
  type ParallelLine,
  panel,
  parallel,
  shortNumber,
  type Tag,
  verdict,
} from '@anyclass/kit';
import { counted } from '../errors/counted.js';
import { tableBlock } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import type { Cell, Table } from '../tables/index.js';
import { metricText } from '../tuning/score.js';
import { countText, type StudyResult, type TrialResult } from '../tuning/studyResult.js';

/** Trials in blue on the chart. */
const mostBest = 3;

/**
 * Returns a study as one HTML page.
 *
 * @example
 * writeFileSync('studies/sewer/study.html', studyPage(result))
 */
export function studyPage(result: StudyResult): string {
  const { study, metric, best, trials, goal, importance } = result;
  const name = study.split(/[\\/]/).at(-1) ?? study;
  const scored = trials.filter(({ value }) => value !== null);
  const head = verdict({
    tags: tagsOf(result),
    headline: best
      ? `Trial ${best.trial} is best, with ${metric} ${metricText(metric, best.value)}.`
      : 'No trial has a result yet.',
    text: escaped(
      best
        ? `${Object.entries(best.values)
            .map(([field, value]) => `${field} ${value}`)
            .join(
              ', ',
            )}; ${counted(best.epochs, 'epoch')}. ${nextBest(result, scored)}The best was picked on validation, so expect less on test.`
        : countText(trials, goal),
    ),
    beside: best
      ? `${command(`npx anyclass tune ${study} --export best.json && npx anyclass train best.json`)}`
      : '',
  });
  return page({
    kind: 'studies',
    name,
    about: `${countText(trials, goal)}; ${metric} on validation`,
    head: [
      head,
      scored.length < 2
        ? ''
        : `<div class="columns first">${panel('Every trial', `a line is a trial; blue: the best ${Math.min(mostBest, scored.length)}`, `<div class="scroll" tabindex="0" role="region" aria-label="Every trial">${trialChart(result, scored)}</div>`)}</div>`,
      `<div class="columns two first">${mattered(importance, scored.length)}${progress(result, scored)}</div>`,
    ],
    sections: [
      {
        name: 'trials',
        title: 'Trials',
        parts: [tableBlock({ name: 'trials', table: trialTable(result) })],
      },
    ],
  });
}

/** How far behind the second is: a narrow lead may be chance. */
function nextBest({ metric, best }: StudyResult, scored: readonly TrialResult[]): string {
  const second = scored.find(({ trial }) => trial !== best?.trial);
  return second ? `Next: trial ${second.trial} with ${metricText(metric, second.value)}. ` : '';
}

/** The metric of each trial, and the best up to it. */
function progress({ metric }: StudyResult, scored: readonly TrialResult[]): string {
  if (scored.length < 2) return '';
  const isShare = metric !== 'bce';
  const each = scored
    .map(({ trial, value }) => ({ x: trial, y: (isShare ? 100 : 1) * value! }))
    .toSorted((a, b) => a.x - b.x);
  const better = isShare ? Math.max : Math.min;
  const best = each.map(({ x }, i) => ({ x, y: better(...each.slice(0, i + 1).map(({ y }) => y)) }));
  const lines = [
    { name: 'best so far', points: best },
    { name: 'each trial', points: each },
  ];
  const options = { label: `${metric} by trial`, x: 'trial', xIsWhole: true };
  return panel(
    'Progress',
    'on validation',
    lineChart(lines, { ...options, y: isShare ? `${metric}, %` : metric, yIsPercent: isShare }),
  );
}

function tagsOf({ trials, goal }: StudyResult): Tag[] {
  const ended = trials.filter(({ status }) => !['running', 'waiting'].includes(status)).length;
  const failed = trials.filter(({ reason }) => reason !== undefined).length;
  return [
    ended >= goal
      ? { tone: 'found', text: '✓ Finished' }
      : { tone: 'review', text: `≈ ${ended} of ${goal} trials so far` },
    ...(failed > 0 ? [{ tone: 'missed', text: `! ${failed} failed` } as const] : []),
  ];
}

/** Parallel coordinates: an axis for each searched field, and the metric last. */
function trialChart({ metric, importance }: StudyResult, scored: readonly TrialResult[]): string {
  const fields = Object.keys(importance);
  const scales = [
    ...fields.map((field) =>
      scaleOf(
        field,
        scored.map(({ values }) => values[field] ?? null),
      ),
    ),
    scaleOf(
      metric,
      scored.map(({ value }) => value),
      (value) => metricText(metric, value),
    ),
  ];
  const lines = scored.map(
    (trial, rank): ParallelLine => ({
      label: `trial ${trial.trial}: ${metric} ${metricText(metric, trial.value)}; ${fields.map((field) => `${field} ${trial.values[field]}`).join(', ')}`,
      places: scales.map(({ places }) => places[rank] ?? null),
      isBest: rank < mostBest,
    }),
  );
  return parallel(
    `${counted(scored.length, 'trial')} by their settings and ${metric}`,
    scales.map(({ axis }) => axis),
    lines,
  );
}

interface Scale {
  readonly axis: ParallelAxis;
  /** Of each trial; null without a value. */
  readonly places: readonly (number | null)[];
}

/** Numbers are placed by value, or by their logarithm if they span a factor of 30; other values in equal steps. */
function scaleOf(
  name: string,
  values: readonly (string | number | boolean | null)[],
  textOf: (value: number) => string = shortNumber,
): Scale {
  const short = name.split('.').at(-1) ?? name;
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length < values.length || numbers.length === 0) {
    const kinds = [...new Set(values.map(valueText))].sort();
    const at = (value: unknown) =>
      kinds.length === 1
        ? 0.5
        : kinds.indexOf(typeof value === 'string' ? value : valueText(value)) / (kinds.length - 1);
    return {
      axis: { name: short, ticks: kinds.map((text) => ({ at: at(text), text })) },
      places: values.map(at),
    };
  }
  const [low, high] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
  const isLog = low > 0 && high / low > 30;
  const scaled = (value: number) => (isLog ? Math.log(value) : value);
  const at = (value: number) =>
    high === low ? 0.5 : (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
  const ticks = [...new Set([low, high])].map((value) => ({ at: at(value), text: textOf(value) }));
  return {
    axis: { name: isLog ? `${short} (log)` : short, ticks },
    places: values.map((value) => (typeof value === 'number' ? at(value) : null)),
  };
}

/** Null turns a setting off. */
function valueText(value: unknown): string {
  return value === null ? 'none' : String(value);
}

function mattered(importance: StudyResult['importance'], trials: number): string {
  // A correlation of ranks has a standard deviation of 1/√(n - 1) where nothing matters.
  const chance = Math.min(1, 1.96 / Math.sqrt(trials - 1));
  const known = Object.entries(importance).flatMap(([field, value]) =>
    value === null ? [] : [{ field, value }],
  );
  if (known.length === 0)
    return panel(
      'What mattered',
      '',
      note('With five scored trials or more, this page shows which settings mattered.'),
    );
  const rows = known
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map(({ field, value }) => ({
      name: field,
      value: Math.abs(value),
      text: `${Math.abs(value).toFixed(2)}, ${value > 0 ? 'larger is better' : 'smaller is better'}`,
      isApart: Math.abs(value) < chance,
    }));
  return panel(
    'What mattered',
    'rank correlation with a better metric',
    `${bars('Rank correlation', rows)}${note(`Gray: below ${chance.toFixed(2)}, which ${counted(trials, 'trial')} can reach by chance (95%).`)}`,
  );
}

function trialTable({ metric, trials, importance }: StudyResult): Table {
  const fields = Object.keys(importance);
  const isShare = metric !== 'bce';
  return {
    title: '',
    columns: [
      { title: 'trial', kind: 'count' },
      { title: metric, kind: isShare ? 'percent' : 'number' },
      { title: 'status', kind: 'text' },
      { title: 'epochs', kind: 'count' },
      ...fields.map((title) => ({ title, kind: 'text' }) as const),
      { title: 'run', kind: 'text' },
    ],
    rows: trials.map(({ trial, value, status, epochs, values, run, reason }): Cell[] => [
      trial,
      value,
      reason === undefined ? status : `${status}: ${reason.split('\n')[0]}`,
      epochs,
      ...fields.map((field) => valueText(values[field] ?? null)),
      run,
    ]),
  };
}
