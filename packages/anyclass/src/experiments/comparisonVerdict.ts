// Summarizes metrics in a sentence: the first thing that a reader of a result should see.

import { counted } from '../errors/counted.js';
import { isNoBetterThanChance } from '../evaluation/chance.js';
import type { Contradiction, Judgment } from '../events/judgment.js';
import { percent } from '../tables/percent.js';
import type { Comparison, GroupMetrics, HeldDifference, MethodDifference } from './comparisonResult.js';
import { confoundOf, fieldsText, shortFieldsText } from './confounds.js';
import { decisionPhrase } from './decisionText.js';
import { isOfOneSign } from './metrics.js';
import type { Recommendation, SweepPoint } from './sweepResult.js';

/**
 * Says whether losses beat the one that they are compared with, one sentence for each of those. If several are compared with the same,
 * the sentence is about the one labeled `preferred`, or else about the any-class loss with the highest F1 on validation. Both sides are
 * evaluated at the same false-alarm budget if there is a test split to do so.
 *
 * @example
 * comparisonVerdict(comparison)
 * // 'any-bce λ=0.02 beats bce on F1 by 3.3 points (3.0 to 3.6) at 5% false alarms (test, 3 seeds).'
 */
export function comparisonVerdict(comparison: Omit<Comparison, 'verdict'>, preferred?: string): string {
  const families = familiesOf(comparison);
  if (families.length === 0) return untested(comparison);
  return families.map((family) => sentence(speaker(family, comparison, preferred), comparison)).join(' ');
}

/**
 * Says the same of the first standard loss in a few words; the verdict has the intervals and what they rest on.
 *
 * @example
 * comparisonHeadline(comparison) // 'any-bce λ=0.02 beats bce by 3.3 points of F1.'
 */
export function comparisonHeadline(comparison: Omit<Comparison, 'verdict'>): string {
  const difference = headlineDifference(comparison);
  if (!difference) return untested(comparison);
  const { atDecision, atHalf } = difference;
  const { loss, standard } = shortSides(difference, comparison);
  const { macroF1 } = atDecision ?? atHalf;
  const confound = confoundOf(difference, comparison.confounded);
  const caution = confound ? `; they also differ in ${shortFieldsText(confound.fields)}` : '';
  return `${placeText(difference, comparison)}${shortOutcome(loss, standard, macroF1)}${caution}.`;
}

/** How sentences and charts call both sides of a difference. */
export function shortSides(
  { dataset, network, loss, standard }: MethodDifference,
  { groups }: Pick<Comparison, 'groups'>,
): { readonly loss: string; readonly standard: string } {
  const short = (label: string) =>
    groups.find((group) => group.dataset === dataset && group.network === network && group.label === label)
      ?.shortLabel ?? label;
  return { loss: short(loss), standard: short(standard) };
}

/** The difference that the headline is about; undefined if nothing is compared. */
export function headlineDifference(comparison: Omit<Comparison, 'verdict'>): MethodDifference | undefined {
  const [first] = familiesOf(comparison);
  return first && speaker(first, comparison, undefined);
}

/**
 * Says what the headline rests on: where it was measured, the interval, and how many seeds agree. Other standard losses have their
 * whole sentence.
 *
 * @example
 * comparisonBasis(comparison) // 'On test, at 5% false alarms: +3.3 points of F1 (+3.0 to +3.6); 3 of 3 seeds agree.'
 */
export function comparisonBasis(comparison: Omit<Comparison, 'verdict'>): string {
  return familiesOf(comparison)
    .map((family, i) => {
      const difference = speaker(family, comparison, undefined);
      return i === 0 ? basisOf(difference, comparison) : sentence(difference, comparison);
    })
    .join(' ');
}

function basisOf(
  difference: MethodDifference,
  { decision, confounded }: Omit<Comparison, 'verdict'>,
): string {
  const { split, atDecision, atHalf } = difference;
  const { macroF1, falseAlarmRate } = atDecision ?? atHalf;
  if (!macroF1) return '';
  const { perSeed, value } = macroF1;
  const agreeing = perSeed.filter((seed) => Math.sign(seed) === Math.sign(value)).length;
  const seeds = perSeed.every((seed) => seed === 0)
    ? ''
    : perSeed.length > 1
      ? `; ${agreeing} of ${perSeed.length} seeds agree`
      : perSeed.length === 1
        ? '; one seed, so chance between seeds is unknown'
        : '';
  const where = atDecision ? decisionPhrase(decision) : 'at 0.5';
  const missing = split === 'validation' ? ' There is no labeled test split to evaluate decisions on.' : '';
  const confound = confoundOf(difference, confounded);
  const caution = confound ? ` They also differ in ${fieldsText(confound.fields)}.` : '';
  return `On ${split}, ${where}: ${points(macroF1, true).replace(' points', ' points of F1')}${falseAlarmText(falseAlarmRate)}${seeds}.${missing}${caution}`;
}

function shortOutcome(loss: string, standard: string, f1: HeldDifference | null): string {
  if (!f1) return `F1 of ${loss} and ${standard} is not defined`;
  if (f1.holds === 'unclear') return `No clear difference in F1 between ${loss} and ${standard}`;
  const by = `${standard} by ${points(f1, false).replace(/ points.*/, ' points of F1')}`;
  if (!isOfOneSign(f1))
    return `${loss} is ${f1.holds === 'higher' ? 'ahead of' : 'behind'} ${by}, but not for every seed`;
  return `${loss} ${f1.holds === 'higher' ? 'beats' : 'falls behind'} ${by}`;
}

/** The differences from one standard loss on the same data with the same network. */
function familiesOf({ differences }: Pick<Comparison, 'differences'>): MethodDifference[][] {
  const families = new Map<string, MethodDifference[]>();
  for (const difference of differences) {
    const key = JSON.stringify([difference.dataset, difference.network, difference.standard]);
    families.set(key, [...(families.get(key) ?? []), difference]);
  }
  // What the method adds comes first.
  const has = (family: readonly MethodDifference[]) => Number(family.some(isOfAnyClass));
  return [...families.values()].sort((a, b) => has(b) - has(a));
}

function isOfAnyClass({ loss }: MethodDifference): boolean {
  return loss.startsWith('any-');
}

/**
 * Says what a sweep found: the recommendation, and how the recommended value compares with the standard loss.
 *
 * @example
 * sweepVerdict(recommendation, points, comparison) // 'λ = 0.02 has the highest F1 at 5% false alarms … any-bce λ=0.02 beats bce …'
 */
export function sweepVerdict(
  { value, reason }: Recommendation,
  points: readonly SweepPoint[],
  comparison: Comparison,
): string {
  const recommended = points.find((point) => point.value !== null && point.value === value);
  const first = `${reason}.`;
  const isTested = comparison.differences.length > 0;
  return isTested ? `${first} ${comparisonVerdict(comparison, recommended?.metrics.label)}` : first;
}

/**
 * Says how a model performs: first which promise does not hold here, then how many positives it flags, and how many negatives
 * raise a false alarm.
 *
 * @example
 * judgmentVerdict(judgment)
 * // 'At a threshold of 0.5, the model predicts a class for 72.4% of positives and raises a false alarm for 8.1% of negatives; F1 63.13, mAP 65.63.'
 */
export function judgmentVerdict({ metrics, intervals, decided }: Judgment): string {
  const sentence = (
    subject: string,
    { metrics: of, intervals: known }: Pick<Judgment, 'metrics' | 'intervals'>,
  ) => {
    const found = [
      ...(of.positiveRows > 0 ? [`predicts a class for ${share(of.recallAny)} of positives`] : []),
      ...(of.negativeRows > 0 ? [`raises a false alarm for ${share(1 - of.recallNeg)} of negatives`] : []),
    ].join(' and ');
    const f1 = known?.overall.macroF1;
    const range = f1 ? ` (${percent(f1.low)} to ${percent(f1.high)})` : '';
    const mAP = of.mAP === null ? '' : `, mAP ${percent(of.mAP)}`;
    return `${subject}${found === '' ? ' has ' : ` ${found}; `}F1 ${percent(of.macroF1)}${range}${mAP}.`;
  };
  return [
    ...(decided?.contradicted ?? []).map((each) =>
      contradictionText(each, decided?.fittedOn ?? 'validation'),
    ),
    ...(isNoBetterThanChance((decided ?? { metrics }).metrics)
      ? [
          'It is no better than chance: positives get a prediction no more often than negatives do, beyond what chance explains.',
        ]
      : []),
    ...(decided ? [sentence('With its decision, the model', decided)] : []),
    sentence(`At a threshold of 0.5, ${decided ? 'it' : 'the model'}`, {
      metrics,
      ...(intervals && { intervals }),
    }),
  ].join(' ');
}

/** Says that a promise does not hold here, for which data it was made, and what a refit takes. */
function contradictionText(
  { about, unit, promised, rate, low, high, isByGroup, needed, ofGroups }: Contradiction,
  fittedOn: string,
): string {
  const isAlarm = about === 'false alarms';
  const kind = isAlarm ? 'negatives' : 'positives';
  const found = isAlarm
    ? `${unit === 'group' ? 'groups without positives' : 'negatives'} alarm`
    : `${unit === 'group' ? 'groups with a positive' : 'positives'} are cleared`;
  const weighed = isByGroup ? ', counting each group equally' : '';
  const only = isAlarm && unit === 'group' ? ' only' : '';
  const instances = ofGroups ? `groups with labeled ${kind}${only}` : `labeled ${kind}`;
  return (
    `The promise of at most ${Number((100 * promised).toFixed(2))}% ${about} does not hold here: ${share(rate)} (${tenths(low)} to ${tenths(high)}) of ${found}${weighed}. ` +
    `It was made for data like ${fittedOn}'s; refit the decision with ${needed} or more ${instances} of this data.`
  );
}

function speaker(
  family: readonly MethodDifference[],
  { groups }: Pick<Comparison, 'groups'>,
  preferred: string | undefined,
): MethodDifference {
  const f1 = validationF1(groups);
  const f1Of = ({ dataset, network, loss }: MethodDifference) => {
    const own = groups.find(
      (group) => group.dataset === dataset && group.network === network && group.label === loss,
    );
    return (own && f1(own)) ?? Number.NEGATIVE_INFINITY;
  };
  const anyClass = family.filter(isOfAnyClass);
  const best = (anyClass.length > 0 ? anyClass : family).reduce((a, b) => (f1Of(b) > f1Of(a) ? b : a));
  return family.find(({ loss }) => loss === preferred) ?? best;
}

/** The validation F1 that ranks groups: cross-fitted at their decisions, or at 0.5 if any has none. */
function validationF1(groups: readonly GroupMetrics[]): (group: GroupMetrics) => number | undefined {
  return groups.every(({ decided }) => decided?.validation)
    ? ({ decided }) => decided?.validation?.macroF1?.mean
    : ({ validation }) => validation.macroF1?.mean;
}

function sentence(difference: MethodDifference, comparison: Omit<Comparison, 'verdict'>): string {
  const { split, atDecision, atHalf } = difference;
  const { loss, standard } = shortSides(difference, comparison);
  const { macroF1, falseAlarmRate } = atDecision ?? atHalf;
  const where = atDecision ? decisionPhrase(comparison.decision) : 'at 0.5';
  const seeds = macroF1?.perSeed.length ?? 0;
  const basis = [
    split,
    ...(seeds > 0 ? [counted(seeds, 'seed')] : []),
    ...(macroF1 && !isOfOneSign(macroF1) ? ['not for every seed'] : []),
    ...(split === 'validation' ? ['no labeled test split to evaluate decisions on'] : []),
  ].join(', ');
  // A pair that differs in more than its loss says little about losses.
  const confound = confoundOf(difference, comparison.confounded);
  const caution = confound ? `; they also differ in ${fieldsText(confound.fields)}` : '';
  const price = falseAlarmText(falseAlarmRate);
  return `${placeText(difference, comparison)}${outcome(loss, standard, macroF1, where)}${price} (${basis})${caution}.`;
}

function outcome(loss: string, standard: string, f1: HeldDifference | null, where: string): string {
  if (!f1) return `F1 of ${loss} and ${standard} is not defined`;
  if (f1.holds === 'unclear')
    return `No clear difference in F1 between ${loss} and ${standard} ${where}: ${points(f1, true)}`;
  const verb = f1.holds === 'higher' ? 'beats' : 'falls behind';
  return `${loss} ${verb} ${standard} on F1 by ${points(f1, false)} ${where}`;
}

/** If false alarms differ too, the difference in F1 comes at a price. */
function falseAlarmText(falseAlarms: HeldDifference | null): string {
  if (!falseAlarms || falseAlarms.holds === 'unclear') return '';
  return `, with false alarms ${falseAlarms.holds} by ${points(falseAlarms, false)}`;
}

function placeText({ dataset, network }: MethodDifference, { groups }: Pick<Comparison, 'groups'>): string {
  const several = (of: 'dataset' | 'network') => new Set(groups.map((group) => group[of])).size > 1;
  const place = [...(several('dataset') ? [dataset] : []), ...(several('network') ? [network] : [])];
  return place.length === 0 ? '' : `${place.join(', ')}: `;
}

/** Without a pair of losses or replicates nothing is tested, but the best metric is still worth a line. */
function untested({
  groups,
  replicates,
  decision,
}: Pick<Comparison, 'groups' | 'replicates' | 'decision'>): string {
  const f1 = validationF1(groups);
  const best = groups.reduce((a, b) =>
    (f1(b) ?? Number.NEGATIVE_INFINITY) > (f1(a) ?? Number.NEGATIVE_INFINITY) ? b : a,
  );
  const isDecided = groups.every(({ decided }) => decided?.validation);
  const where = isDecided ? decisionPhrase(decision) : 'at 0.5';
  const values = `F1 ${percent(f1(best))} ${where} and mAP ${percent(best.validation.mAP?.mean)} on validation`;
  if (groups.length === 1) return `${best.shortLabel} has ${values}; no other loss to compare it with.`;
  const why = replicates === 0 ? 'without bootstrap replicates' : 'without a standard loss to compare with';
  return `${best.shortLabel} has the highest F1 (${values}); no difference is tested ${why}.`;
}

/** For example, '3.3 points (3.0 to 3.6)', with enough digits that no end of a held interval reads 0. */
function points({ value, low, high, holds }: HeldDifference, isSigned: boolean): string {
  const ends = isSigned ? [value, low, high] : [value, low, high].map(Math.abs).sort((a, b) => a - b);
  const [shown, from, to] = isSigned ? ends : [Math.abs(value), ends[0], ends[2]];
  const smallest = Math.min(...ends.map(Math.abs));
  const digits =
    holds === 'unclear' ? 1 : ([1, 2, 3].find((count) => 100 * smallest >= 0.5 * 10 ** -count) ?? 4);
  const text = (share: number) => {
    const rounded = (100 * share).toFixed(digits);
    if (Number(rounded) === 0) return rounded.replace('-', '');
    return isSigned && share > 0 ? `+${rounded}` : rounded.replace('-', '−');
  };
  return `${text(shown!)} points (${text(from!)} to ${text(to!)})`;
}

function share(value: number): string {
  return `${tenths(value)}%`;
}

function tenths(value: number): string {
  return (100 * value).toFixed(1);
}
