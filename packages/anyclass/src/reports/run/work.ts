import { note, type OutcomeCounts, panel, percentText, triageBars } from '@anyclass/kit';
import type { DecisionInUse, JudgedMaterial } from './material.js';

/** What 1,000 images, or rows of features, make for work: cleared, to review and alarmed, with the wrong part of each at its end. */
export function workPanel(
  { isOwn, outcomes, metrics }: DecisionInUse,
  { judged: { split, decided }, instance }: Pick<JudgedMaterial, 'judged' | 'instance'>,
): string {
  const rows = metrics.positiveRows + metrics.negativeRows;
  if (rows === 0) return '';
  const per = ({ positive, negative }: OutcomeCounts) => ({
    positive: (1000 * positive) / rows,
    negative: (1000 * negative) / rows,
  });
  const { clear, review, alarm } = outcomes.work;
  const bars = triageBars({ clear: per(clear), ...(review && { review: per(review) }), alarm: per(alarm) });
  const share = `${percentText(metrics.positiveRows / rows, 0)}% positive${split === '' ? '' : `, as on ${split}`}`;
  const { guarantee, triage } = decided?.report ?? {};
  const words = review
    ? guarantee?.holds && triage?.guarantee.holds
      ? 'Both promises hold at any share of positives; only the work changes.'
      : 'Two gates decide: what lies between them is for review.'
    : isOwn
      ? `One gate decides: every ${instance} is cleared or raises an alarm. Nothing is promised about misses.`
      : `${instance === 'image' ? 'An image' : 'A row'} raises an alarm if any class reaches 0.5.`;
  return `${panel(`Of 1,000 ${instance}s`, share, bars)}${note(words)}`;
}
