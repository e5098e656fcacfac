// Turns the evaluated rounds into a recommended loss, with the reasons in words.

import type { Interval } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { type DecisionChoice, decisionPhrase } from '../experiments/decisionText.js';
import { smallGain } from '../experiments/valueDifferences.js';
import { cellText } from '../tables/cellText.js';
import { percent } from '../tables/percent.js';
import { bySimplicity, type LossFields, relevantFields } from './candidates.js';
import type { JudgedCandidate, JudgedRound, PartEffect } from './judgedRound.js';
import { type FullRun, type PilotSize, type PilotSpeed, shareOf } from './pilotSize.js';
import type { Setup } from './setups.js';

/** A round and its results. */
export interface RoundResult extends JudgedRound, PilotSize {
  /** Planned losses that have no finished run. */
  readonly missing: readonly string[];
}

/** The recommended loss and what it is based on, as plain JSON. */
export interface Recommendation {
  /** What to use, and how certain that is. */
  readonly verdict: string;
  /** Further findings from the pilots, one sentence each. */
  readonly reasons: readonly string[];
  readonly label: string;
  /** Fields for the configuration's `loss`. */
  readonly loss: Partial<LossFields>;
  /** How to train, besides the loss; omitted if nothing else was tried. */
  readonly setup?: RecommendedSetup;
  /** False if several losses differ only by small amounts; null if the pilots cannot tell. */
  readonly matters: boolean | null;
  readonly decision: DecisionChoice;
  readonly rounds: readonly RoundResult[];
  readonly full: FullRun;
  readonly speed: PilotSpeed;
  readonly minutes: number;
  readonly spentSeconds: number;
}

/** The input size and augmentation that the first pilots chose. */
export interface RecommendedSetup extends Pick<Setup, 'label' | 'settings' | 'cost'> {
  /** What they were compared with; the base is the first in `tried`. */
  readonly tried: readonly string[];
  readonly round: RoundResult;
}

type Basis = Pick<
  Recommendation,
  'setup' | 'decision' | 'rounds' | 'full' | 'speed' | 'minutes' | 'spentSeconds'
>;

/**
 * Recommends a loss: among those that the last round cannot distinguish from its best, the configuration's
 * own, or else the simplest. An advantage that could be chance does not justify a more elaborate loss. The loss that did worst
 * is not recommended, even if that could be chance.
 *
 * @example
 * recommendLoss({ decision, rounds, full, speed, minutes: 30, spentSeconds: 1700 }).label // 'bce'
 */
export function recommendLoss(basis: Basis): Recommendation {
  const { losses } = basis.rounds.at(-1)!;
  const equals = losses.filter(({ isWithinNoise }) => isWithinNoise);
  const worst = losses.length > 1 && losses.at(-1)!.f1 < losses.at(-2)!.f1 ? losses.at(-1) : undefined;
  const eligible = equals.filter((one) => one !== worst);
  const own = eligible.find(({ candidate }) => candidate.role === 'configured');
  const pick = own ?? eligible.toSorted((a, b) => bySimplicity(a.candidate, b.candidate))[0]!;
  const missed = Math.max(0, ...equals.map(({ difference }) => -(difference?.low ?? 0)));
  // Losses that all find nothing are equal, too, and say nothing about longer training.
  const findsNothing = losses.every(({ f1 }) => f1 === 0);
  const matters = findsNothing ? null : equals.length === 1 ? true : missed <= smallGain ? false : null;
  return {
    verdict: [
      setupText(basis),
      findsNothing
        ? 'The pilots cannot tell the losses apart: none of them finds anything within the budget. Use more minutes, more labeled images or a larger budget.'
        : opening(equals, losses, matters, missed),
      use(pick, eligible, basis.decision),
      behind(losses),
    ]
      .filter((text) => text !== '')
      .join(' '),
    reasons: reasonsOf(basis),
    label: pick.candidate.label,
    loss: relevantFields(pick.candidate.loss),
    matters,
    ...basis,
  };
}

function setupText({ setup, decision }: Basis): string {
  if (!setup) return '';
  const { label, cost, tried, round } = setup;
  const [base = ''] = tried;
  if (label === base) {
    const others = tried.filter((other) => other !== label);
    return `Train at ${label}: ${joined(others)} ${others.length === 1 ? 'is' : 'are'} not clearly better.`;
  }
  const judged = (wanted: string) => round.losses.find(({ candidate }) => candidate.label === wanted);
  const [chosen, before] = [judged(label), judged(base)];
  const gain =
    chosen && before
      ? `: ${metricName(decision)} ${percent(chosen.f1)} instead of ${percent(before.f1)}`
      : '';
  const times = cost.toFixed(1);
  const price = times === '1.0' ? 'in the same time' : `at ${times} times the time`;
  const doubt = before?.isWithinNoise ? `; that is within the noise, but ${base} did worst` : '';
  return `Train at ${label} instead of ${base}${gain}, ${price}${doubt}.`;
}

function opening(
  equals: readonly JudgedCandidate[],
  losses: readonly JudgedCandidate[],
  matters: boolean | null,
  missed: number,
): string {
  if (matters === true) return '';
  const among = equals.length === losses.length ? `these ${losses.length} losses` : labels(equals);
  const most = `${(100 * missed).toFixed(1)} points`;
  return matters === false
    ? `The choice among ${among} does not matter here: differences are within the noise, and below ${most}.`
    : `The pilots cannot tell ${among} apart: differences are within the noise, which may hide ${most}. Use more validation data or longer pilots.`;
}

function use(
  { candidate, f1 }: JudgedCandidate,
  equals: readonly JudgedCandidate[],
  decision: DecisionChoice,
): string {
  const why =
    equals.length === 1
      ? ''
      : candidate.role === 'configured'
        ? ", the configuration's own loss"
        : ', the simplest of them';
  return `Use ${candidate.label}${why}: ${metricName(decision)} ${percent(f1)} ${decisionPhrase(decision)}, cross-fitted on validation.`;
}

/** Names the losses that are clearly worse, the closest first. */
function behind(losses: readonly JudgedCandidate[]): string {
  const [first, ...rest] = losses.filter(({ isWithinNoise }) => !isWithinNoise);
  if (!first) return '';
  const more = rest.length === 0 ? '' : `; ${labels(rest)} ${rest.length === 1 ? 'is' : 'are'} also worse`;
  return `${first.candidate.label} is ${differenceText(first.difference)} points from the best${more}.`;
}

function reasonsOf({ rounds, full, decision }: Basis): string[] {
  const last = rounds.at(-1)!;
  const share = shareOf(last, full);
  const size = `${counted(last.instances, 'instance')} × ${counted(last.epochs, 'epoch')} × ${counted(last.seeds.length, 'seed')}`;
  const missing = [...new Set(rounds.flatMap((round) => round.missing))];
  return [
    ...rounds[0]!.effects.map((effect) => effectText(effect, decision)),
    share < 1
      ? `Based on ${size}, ${shareText(share)} of a full run; short training favors the any-class term.`
      : `Based on ${size}, full runs.`,
    'The test split was not used.',
    ...(missing.length > 0 ? [`Not compared, because no pilot finished: ${listed(missing)}.`] : []),
  ];
}

const partTitles: Readonly<Record<PartEffect['part'], string>> = {
  balancing: 'Class balancing',
  'any-class term': 'The any-class term',
  asl: 'ASL instead of BCE',
};

function effectText({ part, pairs, f1 }: PartEffect, decision: DecisionChoice): string {
  const isClear = f1.low > 0 || f1.high < 0;
  return `${partTitles[part]}: ${metricName(decision)} ${differenceText(f1)} points on average over ${counted(pairs, 'pair')} of losses in round 1${isClear ? '' : ', within the noise'}.`;
}

/** The Fβ that decisions maximize and that losses are ranked by. */
export function metricName({ beta }: Pick<DecisionChoice, 'beta'>): 'F1' | 'F2' {
  return beta === 2 ? 'F2' : 'F1';
}

function differenceText(difference: Interval | null): string {
  if (!difference) return '0';
  const { value, low, high } = difference;
  return cellText({ value, interval: { low, high } }, { title: '', kind: 'difference', digits: 1 });
}

function labels(losses: readonly JudgedCandidate[]): string {
  const names = losses.map(({ candidate }) => candidate.label);
  return names.length > 6 ? listed(names) : joined(names);
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** For example, '12%', with one more digit if the share is small. */
export function shareText(share: number): string {
  return `${share < 0.1 ? (100 * share).toFixed(1) : Math.round(100 * share)}%`;
}
