// The third answer: what is found and missed, in counts, with pictures.

import {
  countText,
  escaped,
  type FoundCounts,
  foundBars,
  type Look,
  legend,
  looks,
  panel,
  strip,
} from '@anyclass/kit';
import type { DecisionInUse, JudgedMaterial } from './material.js';

/** More would push the other answers off the first screen; the table of classes has all. */
const mostClasses = 6;
/** As the style sheet has it. */
const mostPhoneClasses = 4;

export function foundPanel(
  { judged, instance }: JudgedMaterial,
  inUse: DecisionInUse,
  pictures: readonly Look[],
): string {
  const { outcomes, metrics } = inUse;
  const present = outcomes.byClass.filter((own) => own.present > 0).toSorted((a, b) => b.present - a.present);
  const isCut = present.length > mostClasses;
  // Of many classes, those that miss most; what is reviewed is not missed.
  const unseen = (own: FoundCounts) => own.present - own.found - (own.review ?? 0);
  const shown = isCut ? present.toSorted((a, b) => unseen(b) - unseen(a)).slice(0, mostClasses) : present;
  const more = isCut
    ? `<p class="note">The ${mostClasses} with the most misses, of ${present.length} classes; <a href="#by-class">all classes</a>.</p>`
    : '';
  const rows = metrics.positiveRows + metrics.negativeRows;
  const remark = `${judged.split === '' ? '' : `${judged.split}, `}${countText(rows)} ${instance}s`;
  return [
    panel('Found and missed', remark, foundBars(shown) + onPhone(shown) + more),
    metrics.negativeRows > 0
      ? `<div class="second">${panel('Negatives', countText(metrics.negativeRows), negativesStrip(inUse))}</div>`
      : '',
    pictures.length > 0 ? `<div class="second">${looks(pictures)}</div>` : '',
  ].join('');
}

/** Classes that the bars leave out on a phone, where they would push the trade-off off the first screen. */
function onPhone(shown: readonly FoundCounts[]): string {
  const rest = shown.slice(mostPhoneClasses);
  if (rest.length === 0) return '';
  const words = rest.map(
    ({ name, found, present }) =>
      `<bdi>${escaped(name)}</bdi> (${countText(found)} of ${countText(present)})`,
  );
  return `<p class="note phone-only">Also ${words.join(', ')}.</p>`;
}

/** Negatives by outcome; together they are all of them. */
function negativesStrip({ outcomes: { work } }: DecisionInUse): string {
  const [quiet, reviewed, alarms] = [work.clear.negative, work.review?.negative, work.alarm.negative];
  const parts = [
    { tone: 'clear', count: quiet, text: `${countText(quiet)} quiet` },
    ...(reviewed === undefined
      ? []
      : [{ tone: 'review', count: reviewed, text: `${countText(reviewed)} to review` } as const]),
    {
      tone: 'false-alarm',
      count: alarms,
      text: `${countText(alarms)} false alarm${alarms === 1 ? '' : 's'}`,
    },
  ] as const;
  return strip(parts, 1, parts.map(({ text }) => text).join(', ')) + legend(parts);
}
