// The first answer: is it any good, compared with chance, a threshold of 0.5 and the run before?

import type { Metrics } from '@anyclass/core';
import {
  countText,
  type Dot,
  dots,
  escaped,
  type FoundCounts,
  percentText,
  type Tag,
  verdict,
} from '@anyclass/kit';
import { counted } from '../../errors/counted.js';
import { isNoBetterThanChance } from '../../evaluation/chance.js';
import { promisedMetric } from '../../evaluation/contradictions.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';

/**
 * Says how many positives are found at which false alarms, with tags in color and a comparison beside it; `missesAt` is where the page
 * shows images of misses.
 */
export function verdictBlock(material: JudgedMaterial, inUse: DecisionInUse, missesAt?: string): string {
  const { judged, instance } = material;
  const { outcomes, metrics } = inUse;
  const found = outcomes.counts.found + outcomes.counts.other;
  const rows = compared(material, inUse);
  const title = `F1${judged.split === '' ? '' : ` on ${judged.split}`}, %`;
  const short = rows.map(({ name, value }) => `${percentText(value)} (${name})`).join(', ');
  return verdict({
    tags: tagsOf(material, inUse),
    headline: `Finds ${countText(found)} of ${countText(metrics.positiveRows)} positive ${instance}s${falseAlarmWords(inUse)}.`,
    text: `<span class="wide-only">${[missedSentence(inUse), budgetSentence(material, inUse), weakSentence(inUse, missesAt)].filter((text) => text !== '').join(' ')}</span><span class="phone-only">${missedSentence(inUse)} F1 ${escaped(short)}.${phoneWeakness(inUse)}</span>`,
    beside: `<div class="wide-only">${dots(title, rows)}</div>`,
  });
}

function falseAlarmWords({ outcomes, metrics }: DecisionInUse): string {
  if (metrics.negativeRows === 0) return '; there are no negatives to raise false alarms';
  return `, with false alarms on ${countText(outcomes.counts['false-alarm'])} of ${countText(metrics.negativeRows)} negatives`;
}

/** This decision, 0.5, the run before and chance. */
function compared({ judged, previous }: JudgedMaterial, { isOwn, metrics, intervals }: DecisionInUse): Dot[] {
  const interval = (of: DecisionInUse['intervals']) => of?.overall.macroF1 ?? undefined;
  const before = previous && (previous.summary.test ?? previous.summary.validation);
  const shown = before?.split === judged.split ? before : undefined;
  return [
    {
      name: isOwn ? 'this decision' : 'threshold 0.5',
      value: metrics.macroF1,
      interval: interval(intervals),
      isChosen: true,
    },
    ...(isOwn
      ? [{ name: 'threshold 0.5', value: judged.metrics.macroF1, interval: interval(judged.intervals) }]
      : []),
    ...(shown && previous
      ? [
          {
            name: `before: ${shortened(previous.name)}`,
            value: (shown.decided ?? shown).metrics.macroF1,
            interval: interval((shown.decided ?? shown).intervals),
          },
        ]
      : []),
    { name: 'chance', value: chanceF1(metrics) },
  ];
}

/** The F1 of labels that are drawn at random, as often as this decision gives them: precision is then the prevalence. */
export function chanceF1(metrics: Metrics): number {
  const { truePositives, falsePositives, falseNegatives, trueNegatives } = metrics;
  const each = truePositives.map((hits, j) => {
    const [present, predicted] = [hits + falseNegatives[j]!, hits + falsePositives[j]!];
    const rows = present + falsePositives[j]! + trueNegatives[j]!;
    return present + predicted === 0 ? 0 : (2 * present * predicted) / (rows * (present + predicted));
  });
  return each.reduce((sum, value) => sum + value, 0) / Math.max(1, each.length);
}

/** Classes of which less than 60% are found or reviewed, the weakest first. */
function weakClasses({ outcomes }: Pick<DecisionInUse, 'outcomes'>) {
  return outcomes.byClass
    .map((own) => ({ ...own, share: (own.found + (own.review ?? 0)) / own.present }))
    .filter(({ present, share }) => present > 0 && share < 0.6)
    .toSorted((a, b) => a.share - b.share);
}

function foundWords({ present, found, review = 0 }: FoundCounts): string {
  return `${countText(found)} of ${countText(present)} found${review > 0 ? `, ${countText(review)} to review` : ''}`;
}

function tagsOf({ judged }: JudgedMaterial, inUse: DecisionInUse): Tag[] {
  const weak = weakClasses(inUse);
  const all = inUse.outcomes.byClass.length;
  const names =
    weak.length > 2
      ? `${weak.length === all ? `all ${all}` : `${weak.length} of ${all}`} classes`
      : `${weak.length > 1 ? 'classes' : 'class'} ${weak.map(({ name }) => shortened(name, 28)).join(' and ')}`;
  return [
    ...(isNoBetterThanChance(inUse.metrics)
      ? [{ tone: 'missed', text: '! No better than chance' } as const]
      : []),
    promiseTag(judged, inUse),
    ...leftTags(inUse),
    ...(weak.length > 0 ? [{ tone: 'missed', text: `! Weak on ${names}` } as const] : []),
  ];
}

function promiseTag({ decided }: JudgedMaterial['judged'], { metrics, intervals }: DecisionInUse): Tag {
  const { guarantee, triage } = decided?.report ?? {};
  const promises = [guarantee, triage?.guarantee].flatMap((each) => (each?.holds ? [each] : []));
  if (promises.length === 0)
    return {
      tone: 'review',
      text:
        guarantee?.holds === false && guarantee.reason === 'adaptive choice'
          ? '≈ Its promise is approximate'
          : '– Nothing is promised',
    };
  const [its, both] = promises.length > 1 ? ['a', 'both promises'] : ['its', 'its promise'];
  const seen = promises.map((promise) => {
    const metric = promisedMetric(promise, metrics);
    const { low = 0 } = intervals?.overall[metric] ?? {};
    return { rate: metrics[metric], promised: promise.rate, low };
  });
  if (seen.some(({ low, promised }) => low > promised))
    return { tone: 'false-alarm', text: `! Breaks ${its} promise here` };
  if (seen.some(({ rate, promised }) => rate !== null && rate > promised))
    return { tone: 'review', text: `≈ Above ${its} limit here, within chance` };
  return seen.some(({ rate }) => rate === null)
    ? { tone: 'review', text: '– No rows to check the promise on' }
    : { tone: 'found', text: `✓ Keeps ${both}` };
}

/** Triage can keep its promises by leaving nearly all to a person: said where more than half of the positives or negatives are left. */
function leftTags({ outcomes: { work } }: DecisionInUse): Tag[] {
  const { clear, review, alarm } = work;
  if (!review) return [];
  const decided = [
    ['Finds', alarm.positive, 'positive'],
    ['Clears', clear.negative, 'negative'],
  ] as const;
  return decided.flatMap(([verb, count, kind]): Tag[] => {
    const all = clear[kind] + review[kind] + alarm[kind];
    if (2 * count >= all) return [];
    const amount = count === 0 ? `no ${kind}s` : `only ${percentText(count / all, 0)}% of ${kind}s`;
    return [{ tone: 'review', text: `! ${verb} ${amount}` }];
  });
}

/** What becomes of the positives without an alarm. */
function missedSentence({ outcomes: { counts, work } }: DecisionInUse): string {
  const { missed } = counts;
  const review = work.review?.positive ?? 0;
  if (missed + review === 0) return 'It misses none.';
  return review === 0
    ? `It misses the other ${countText(missed)}.`
    : `Of the other ${countText(missed + review)}, ${countText(review)} ${review === 1 ? 'goes' : 'go'} to review and ${countText(missed)} ${missed === 1 ? 'is' : 'are'} missed.`;
}

/** What the decision buys over a threshold of 0.5, in images. */
function budgetSentence({ judged, instance }: JudgedMaterial, { isOwn, outcomes }: DecisionInUse): string {
  const { metrics } = judged;
  if (!isOwn) return 'No decision was judged here: all counts are at a threshold of 0.5.';
  const halfFound = Math.round(metrics.recallAny * metrics.positiveRows);
  const halfAlarms = Math.round((metrics.falseAlarmRate ?? 0) * metrics.negativeRows);
  const finds = outcomes.counts.found + outcomes.counts.other - halfFound;
  const alarms = outcomes.counts['false-alarm'] - halfAlarms;
  const amount = (count: number, word: string) => counted(Math.abs(count), word);
  const effect =
    finds === 0 && alarms === 0
      ? 'the decision changes neither'
      : finds >= 0 && alarms <= 0
        ? `the decision finds ${finds === 0 ? 'as many' : `${countText(finds)} more`}, with ${alarms === 0 ? 'as many false alarms' : amount(alarms, 'fewer false alarm')}`
        : finds > 0
          ? `the budget buys ${amount(finds, 'find')} for ${amount(alarms, 'more false alarm')}`
          : alarms < 0
            ? `the budget saves ${amount(alarms, 'false alarm')} and gives up ${amount(finds, 'find')}`
            : `the decision finds ${amount(finds, `fewer ${instance}`)}, with ${amount(alarms, 'more false alarm')}`;
  return `At a threshold of 0.5 the same model finds ${countText(halfFound)}, with ${counted(halfAlarms, 'false alarm')}: ${effect}.`;
}

function weakSentence(inUse: DecisionInUse, missesAt: string | undefined): string {
  const [weakest] = weakClasses(inUse);
  if (!weakest) return '';
  return `Weakest class: <bdi>${escaped(weakest.name)}</bdi> (${foundWords(weakest)})${missesAt === undefined ? '' : `; <a href="${missesAt}">see the misses</a>`}.`;
}

function phoneWeakness(inUse: DecisionInUse): string {
  const [weakest] = weakClasses(inUse);
  return weakest
    ? ` Weakest: <bdi>${escaped(shortened(weakest.name, 28))}</bdi> (${foundWords(weakest)}).`
    : '';
}

function shortened(name: string, most = 14): string {
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}
