// The first screen of an inspection: what is in the data, what to fix first, and what can be promised with it.

import { percentNeeded } from '@anyclass/core';
import {
  bars,
  command,
  countText,
  escaped,
  facts,
  type Look,
  looks,
  note,
  panel,
  percentText,
  shortPercent,
  type Tag,
  verdict,
} from '@anyclass/kit';
import { counted } from '../errors/counted.js';
import { fixOf, quoted } from './fixes.js';
import type { ClassCount, Inspection, Problem } from './inspection.js';
import { briefly, inspectionVerdict, seriousFirst } from './inspectionVerdict.js';
import type { PagePictures } from './pagePictures.js';

/** Problems on the first screen; the section below has all. */
const mostProblems = 3;
const mostClasses = 8;

export function inspectionAnswers(inspection: Inspection, pictures: PagePictures, spec: string): string {
  const told = inspectionVerdict(inspection);
  const { splits, classes, lambda } = inspection;
  const { total, positive, negative } = splits.at(-1)!;
  const word = inspection.features ? 'row' : 'image';
  const head = verdict({
    tags: tagsOf(inspection, told.isDoubtful),
    headline: `${counted(total, word)}, ${counted(classes.length, 'class')}, ${percentText(negative / Math.max(1, positive + negative))}% negative.`,
    text: escaped(
      `${summaryOf(inspection, told.isDoubtful ? told.first : undefined)} Start with λ ${lambda.start}.`,
    ),
    beside: splitBars(inspection),
  });
  return `${head}<div class="columns three first">
<div>${panel('What to fix first', 'most serious first', fixList(inspection, spec))}</div>
<div>${panel('Classes', `positive ${word}s`, classBars(inspection))}</div>
<div>${panel('What can be promised', `with ${inspection.promisable.split} as it is`, promiseParts(inspection))}${sampleLooks(pictures)}</div>
</div>`;
}

/** What the tag does not say: the most serious finding, or else the rarest class. */
function summaryOf({ classCounts }: Inspection, first: string | undefined): string {
  if (first !== undefined) return first;
  const rarest = classCounts.toSorted((a, b) => totalOf(a) - totalOf(b))[0];
  return rarest
    ? `The rarest class, ${rarest.name}, has ${counted(totalOf(rarest), 'positive')}, ${countText(rarest.train)} of them in train.`
    : '';
}

function totalOf({ train, validation, test, decision = 0 }: ClassCount): number {
  return train + validation + test + decision;
}

function tagsOf({ problems }: Inspection, isDoubtful: boolean): Tag[] {
  if (problems.length === 0) return [{ tone: 'found', text: '✓ No problems found' }];
  return isDoubtful
    ? [{ tone: 'missed', text: `! ${counted(problems.length, 'finding')}, fix before training` }]
    : [{ tone: 'review', text: `≈ ${counted(problems.length, 'finding')}; you can train` }];
}

function splitBars({ splits }: Inspection): string {
  const rows = splits
    .filter(({ split, total }) => split !== 'all' && total > 0)
    .map(({ split, total, positive }) => ({
      name: split,
      value: total,
      text: `${countText(total)}: ${countText(positive)} positive`,
    }));
  return bars('Splits', rows);
}

function fixList({ problems }: Inspection, spec: string): string {
  if (problems.length === 0)
    return `<p class="small">Nothing: every check passed. Write a configuration:</p>${command(`npx anyclass init ${quoted(spec)}`)}`;
  const shown = seriousFirst(problems).slice(0, mostProblems);
  const more =
    problems.length > shown.length
      ? `<p class="note"><a href="#problems">${problems.length - shown.length} more below</a>.</p>`
      : '';
  return shown.map((problem) => problemBlock(problem, spec)).join('') + more;
}

/** A problem, and the command that fixes it. */
function problemBlock(problem: Problem, spec: string): string {
  const fix = fixOf(problem, spec);
  return `<div class="block warning"><p class="small"><b>${escaped(briefly(problem))}</b></p>${fix ? `<p class="note">${escaped(fix.words)}</p>${fix.command === undefined ? '' : command(fix.command)}` : ''}</div>`;
}

function classBars({ classCounts, splits }: Inspection): string {
  const sorted = classCounts.toSorted((a, b) => totalOf(b) - totalOf(a));
  const shown = sorted.slice(0, mostClasses).map((count) => ({ name: count.name, value: totalOf(count) }));
  const { negative } = splits.at(-1)!;
  const more =
    sorted.length > mostClasses
      ? `<p class="note">The ${mostClasses} largest; the rarest is ${escaped(sorted.at(-1)!.name)} with ${countText(totalOf(sorted.at(-1)!))}. <a href="#classes">All classes</a>.</p>`
      : '';
  return `${bars('Positive instances', [{ name: 'negative', value: negative, isApart: true }, ...shown])}${more}`;
}

/** The smallest share of false alarms that can be promised, and what it takes for a smaller one. */
function promiseParts({ promisable: { split, of, negatives, positives }, groupColumn }: Inspection): string {
  if (negatives.instances === 0)
    return `<p class="statement">Nothing: ${split} has no negatives.</p><p class="note">Draw a ${split} split that has negatives.</p>`;
  const unit = of === 'rows' ? '' : ` groups (by ${groupColumn}) with`;
  const rows = negatives.rates.map(({ rate, more }): [string, string] => [
    shortPercent(rate),
    more === 0 ? 'can be promised' : `${countText(more)} more${unit} negatives for ${split}`,
  ]);
  const least = percentNeeded(negatives.smallestRate);
  const best =
    of === 'rows'
      ? `The strictest promise: at most ${least} of negatives raise an alarm.`
      : `The strictest promise: a random negative of a random group raises an alarm at most ${least} of the time.`;
  const grouped =
    of === 'rows' ? '' : note('Images of one group are not independent: one negative of each group counts.');
  const rest = `With 95% confidence, from the ${countText(negatives.instances)}${unit} negatives in ${split}. Its ${countText(positives.instances)}${unit} positives can promise at most ${percentNeeded(positives.smallestRate)} missed.`;
  return `<p class="statement">${escaped(best)}</p><p class="note">${escaped(rest)}</p>${facts(rows)}${grouped}`;
}

function sampleLooks({ samples }: PagePictures): string {
  const shown = samples
    .filter(({ images }) => images.length > 0)
    .slice(-4)
    .map(
      ({ title, images }): Look => ({
        image: images[0]!.dataUrl,
        alt: '',
        title,
        remark: '',
        href: '#samples',
      }),
    );
  return shown.length === 0 ? '' : looks(shown);
}
