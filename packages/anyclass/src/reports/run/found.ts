// The third answer: what is found and missed, in counts, with pictures.

import { countText, foundBars, type Look, legend, looks, panel, strip } from '@anyclass/kit';
import type { DecisionInUse, JudgedMaterial } from './material.js';

/** More would push the other answers off the first screen; the table of classes has all. */
const mostClasses = 6;

export function foundPanel(
  { judged, instance }: JudgedMaterial,
  inUse: DecisionInUse,
  pictures: readonly Look[],
): string {
  const { outcomes, metrics } = inUse;
  const present = outcomes.byClass.filter((own) => own.present > 0).toSorted((a, b) => b.present - a.present);
  const isCut = present.length > mostClasses;
  // Of many classes, those that miss most.
  const shown = isCut
    ? present.toSorted((a, b) => b.present - b.found - (a.present - a.found)).slice(0, mostClasses)
    : present;
  const more = isCut
    ? `<p class="note">The ${mostClasses} with the most misses, of ${present.length} classes; <a href="#by-class">all classes</a>.</p>`
    : '';
  const rows = metrics.positiveRows + metrics.negativeRows;
  const remark = `${judged.split === '' ? '' : `${judged.split}, `}${countText(rows)} ${instance}s`;
  return [
    panel('Found and missed', remark, foundBars(shown) + more),
    metrics.negativeRows > 0
      ? `<div class="second">${panel('Negatives', countText(metrics.negativeRows), negativesStrip(inUse))}</div>`
      : '',
    pictures.length > 0 ? `<div class="second">${looks(pictures)}</div>` : '',
  ].join('');
}

function negativesStrip({ outcomes }: DecisionInUse): string {
  const { quiet, 'false-alarm': alarms } = outcomes.counts;
  const told = `${countText(quiet)} quiet, ${countText(alarms)} with a false alarm`;
  const bar = strip(
    [
      { tone: 'clear', count: quiet },
      { tone: 'false-alarm', count: alarms },
    ],
    1,
    told,
  );
  return `${bar}${legend([
    { tone: 'clear', text: `${countText(quiet)} quiet` },
    { tone: 'false-alarm', text: `${countText(alarms)} false alarm${alarms === 1 ? '' : 's'}` },
  ])}`;
}
