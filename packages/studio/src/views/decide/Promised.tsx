// The headline: what is promised, and what it rests on.

import { countText, shortPercent } from '@anyclass/kit';
import type { RunRow } from '../../wire/runs.js';
import { limitWords } from './limitWords.js';
import type { FitSettings, Judged, LoadedRows } from './messages.js';

export function Promised({
  judged,
  loaded,
  row: { id: run, instance },
  split,
  settings,
}: {
  readonly judged: Judged;
  readonly settings: FitSettings;
  readonly loaded: LoadedRows;
  readonly row: RunRow;
  readonly split: string;
}) {
  const { budget, report, isSaved } = judged;
  const { guarantee, triage } = report;
  const words = limitWords(report, settings);
  const isSure = guarantee.holds && (budget.missed === null || triage?.guarantee.holds === true);
  return (
    <div class="head">
      <h1>
        {isSure ? 'At most' : 'About'} <em>{shortPercent(budget.falseAlarms)}</em> of {words.alarm}
        {budget.missed !== null && (
          <>
            ; {isSure ? 'at most' : 'about'} <em>{shortPercent(budget.missed)}</em> of {words.missed}
          </>
        )}
        {words.weighed}.
      </h1>
      <p class="small quiet">
        {groundOf(judged, loaded, instance, isSaved ? split : 'validation')}{' '}
        {isSure ? '' : approximation(guarantee, instance, split)} {run}
      </p>
    </div>
  );
}

/** A saved decision rests on the rows of its fit, a moved handle on those that are shown. */
function groundOf(
  { report: { guarantee, triage } }: Judged,
  { positives, negatives }: LoadedRows,
  instance: RunRow['instance'],
  split: string,
): string {
  if (!guarantee.holds)
    return `Of ${countText(negatives)} negative and ${countText(positives)} positive validation ${instance}s.`;
  const second = triage?.guarantee.holds
    ? ` and ${countText(triage.guarantee.exceeding)} of ${countText(triage.guarantee.of)} positive`
    : '';
  return `${shortPercent(guarantee.confidence)} confidence${triage ? ' each' : ''}. Rests on ${countText(guarantee.exceeding)} of ${countText(guarantee.of)} negative${second} ${split === 'decision' ? 'held-back' : split} ${guarantee.groups === null ? `${instance}s` : 'groups'}.`;
}

/** Why there is no promise, and the way to one. */
function approximation(
  guarantee: Judged['report']['guarantee'],
  instance: RunRow['instance'],
  split: string,
): string {
  if (guarantee.holds) return '';
  if (guarantee.reason === 'adaptive choice')
    return split === 'decision'
      ? `Approximate: it was chosen on these ${instance}s. When saved, it is fitted on those that were held back, and promised there.`
      : `Approximate: it was chosen on these ${instance}s. Refit it on ${instance}s that chose nothing (data.draw can hold them back) to promise it.`;
  if (guarantee.needed !== undefined && guarantee.of !== undefined)
    return `Not promised: it takes ${countText(guarantee.needed)} negatives, and there are ${countText(guarantee.of)}.`;
  return `Not promised: ${guarantee.reason}.`;
}
