// Bars made of parts, each with an outcome. They are HTML, so that they keep their height at every width.

import type { Outcome } from '../colors.js';
import { breakable, escaped } from '../escaped.js';
import { countText } from '../numbers.js';

/** `other`: an alarm under another class's name; someone looks, but for the wrong thing. */
export type StripTone = Outcome | 'other';

export interface StripPart {
  readonly tone: StripTone;
  readonly count: number;
}

/** Returns a bar of parts; `share` is its length from 0 to 1, and `label` what a screen reader says. */
export function strip(parts: readonly StripPart[], share: number, label: string): string {
  const filled = parts.filter(({ count }) => count > 0);
  const divs = filled.map(({ tone, count }) => `<div class="fill ${tone}" style="flex:${count}"></div>`);
  return `<div class="strip" style="flex:none;width:${Math.round(1000 * share) / 10}%" role="img" aria-label="${escaped(label)}">${divs.join('')}</div>`;
}

/** Returns the meaning of each color, in one line. */
export function legend(entries: readonly { readonly tone: StripTone; readonly text: string }[]): string {
  const items = entries.map(({ tone, text }) => `<li><span class="key ${tone}"></span>${escaped(text)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** What became of the positives of a class. */
export interface FoundCounts {
  readonly name: string;
  readonly present: number;
  readonly found: number;
  /** Alarms under another name. */
  readonly other: number;
  /** Left to a person. */
  readonly review?: number;
}

/**
 * Returns a row for each class: found, alarm under another name, and missed, in counts. Classes of which less than 60% are
 * found or reviewed are in the color of misses.
 *
 * @example
 * foundBars([{ name: 'crack', present: 17, found: 9, other: 2 }])
 */
export function foundBars(classes: readonly FoundCounts[]): string {
  const most = Math.max(1, ...classes.map(({ present }) => present));
  const hasReview = classes.some(({ review = 0 }) => review > 0);
  const rows = classes.map(({ name, present, found, other, review = 0 }) => {
    const missed = present - found - other - review;
    const told = `${found} found, ${other} under another name, ${hasReview ? `${review} to review, ` : ''}${missed} missed`;
    const bar = strip(
      [
        { tone: 'found', count: found },
        { tone: 'other', count: other },
        { tone: 'review', count: review },
        { tone: 'missed', count: missed },
      ],
      present / most,
      told,
    );
    const isWeak = found + review < 0.6 * present;
    return `<tr><th scope="row"><span class="name" title="${escaped(name)}">${breakable(name)}</span></th><td>${bar}</td><td class="say${isWeak ? ' missed' : ''}"><b class="num">${countText(found)}</b> of ${countText(present)}</td></tr>`;
  });
  const head =
    '<thead class="hidden-text"><tr><th scope="col">class</th><th scope="col">bar</th><th scope="col">found of present</th></tr></thead>';
  return `<table class="counts">${head}<tbody>${rows.join('')}</tbody></table>${legend([
    { tone: 'found', text: 'found' },
    { tone: 'other', text: 'alarm under another name' },
    ...(hasReview ? [{ tone: 'review', text: 'to review' } as const] : []),
    { tone: 'missed', text: 'missed' },
  ])}`;
}

/** Images with one outcome, split by what they truly are. */
export interface OutcomeCounts {
  readonly positive: number;
  readonly negative: number;
}

/** What becomes of images, in counts of one scale. */
export interface TriageWork {
  readonly clear: OutcomeCounts;
  readonly review?: OutcomeCounts;
  readonly alarm: OutcomeCounts;
}

/**
 * Returns bars on one scale: the work of triage, such as per 1,000 images. The wrong part is at the end of each bar.
 * Without triage there is nothing to review.
 *
 * @example
 * triageBars({ clear: { positive: 2, negative: 590 }, review: { positive: 60, negative: 99 }, alarm: { positive: 232, negative: 17 } })
 */
export function triageBars(work: TriageWork): string {
  const all = ({ positive, negative }: OutcomeCounts) => positive + negative;
  const shown = [
    ['clear', work.clear],
    ...(work.review ? [['review', work.review] as const] : []),
    ['alarm', work.alarm],
  ] as const;
  const most = Math.max(1, ...shown.map(([, counts]) => all(counts)));
  const rows = shown.map(([kind, counts]) => {
    const { positive, negative } = counts;
    const parts: Record<typeof kind, readonly StripPart[]> = {
      clear: [
        { tone: 'clear', count: negative },
        { tone: 'missed', count: positive },
      ],
      review: [{ tone: 'review', count: all(counts) }],
      alarm: [
        { tone: 'found', count: positive },
        { tone: 'false-alarm', count: negative },
      ],
    };
    const wrong =
      kind === 'alarm'
        ? `${countText(negative)} of them negative`
        : `${countText(positive)} of them positive`;
    const bar = strip(parts[kind], (0.72 * all(counts)) / most, `${countText(all(counts))}, ${wrong}`);
    return `<dt class="${kind}">${kind[0]!.toUpperCase()}${kind.slice(1)}</dt><dd><div>${bar}<b>${countText(all(counts))}</b></div><div class="row-note">${wrong}</div></dd>`;
  });
  return `<dl class="triage">${rows.join('')}</dl>`;
}
