// Evaluates a round of pilots: every loss against the best, at the same false-alarm budget, on validation.

import {
  bootstrapSeeds,
  type Difference,
  type JudgedModel,
  joinSeeds,
  measure,
  type SeedReplicates,
  seedDifference,
} from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import { alignedModels, mismatch, type ScoresOfRun } from '../experiments/alignedModels.js';
import type { HeldDifference } from '../experiments/comparisonResult.js';
import { crossFitted } from '../experiments/decidedRun.js';
import type { DecisionChoice } from '../experiments/decisionText.js';
import { heldDifferences } from '../experiments/methodDifferences.js';
import { isOfOneSign } from '../experiments/metrics.js';
import type { Run, ScoredImages } from '../experiments/readRuns.js';
import { isAnyClass } from '../losses/lossNames.js';
import { bySimplicity, type Candidate } from './candidates.js';

/** A loss and its pilots, in ascending order of seed. */
export interface Pilots {
  readonly candidate: Candidate;
  readonly runs: readonly Run[];
}

/** A loss as evaluated in a round. Metrics are means over seeds. */
export interface JudgedCandidate {
  readonly candidate: Candidate;
  /** Cross-fitted: each image is labeled by a decision fitted without it. F2 if decisions maximize F2. */
  readonly f1: number;
  readonly falseAlarmRate: number | null;
  readonly mAP: number | null;
  /** F1 minus that of the best loss; null for the best itself. */
  readonly difference: HeldDifference | null;
  /** Whether the difference could be chance: the interval contains 0 or seeds disagree. True for the best. */
  readonly isWithinNoise: boolean;
}

/** The effect of a part of a loss on F1, averaged over all pairs of losses that differ only in that part. */
export interface PartEffect {
  readonly part: 'balancing' | 'any-class term' | 'asl';
  readonly pairs: number;
  readonly f1: Difference;
}

export interface JudgedRound {
  /** Best first. */
  readonly losses: readonly JudgedCandidate[];
  /** Seeds that all losses share. */
  readonly seeds: readonly number[];
  readonly effects: readonly PartEffect[];
  readonly replicates: number;
  readonly confidence: number;
}

const confidence = 0.95;

/**
 * Evaluates the pilots of a round. Intervals come from a paired bootstrap over the validation images, widened
 * for the number of losses (Bonferroni): the best of many equal losses looks better by chance.
 *
 * @example
 * const { losses } = await judgeRound(pilots, { rule: 'gate', budget: { falseAlarms: 0.05 }, beta: 1 });
 * losses[0]?.candidate.label // 'any-bce λ=0.02'
 */
export async function judgeRound(pilots: readonly Pilots[], decision: DecisionChoice): Promise<JudgedRound> {
  const seeds = sharedSeeds(pilots);
  const groups: PilotModel[][] = [];
  for (const { runs } of pilots) {
    const models: PilotModel[] = [];
    // One at a time: reading a score table takes a lot of memory.
    for (const run of runs) if (seeds.includes(run.seed)) models.push(await modelOf(run, decision));
    groups.push(models);
  }
  const drawn = drawnMetrics(groups.flat());
  const metric = decision.beta === 2 ? 'macroF2' : 'macroF1';
  const judged = pilots.map(({ candidate }, i) => {
    const ofSeeds = drawn.slice(i * seeds.length, (i + 1) * seeds.length);
    const { value } = joinSeeds(ofSeeds);
    return {
      candidate,
      side: { seeds, replicates: ofSeeds },
      f1: value[metric] ?? 0,
      falseAlarmRate: value.falseAlarmRate,
      mAP: meanOf(groups[i]!.map(({ mAP }) => mAP)),
    };
  });
  const ranked = judged.toSorted((a, b) => b.f1 - a.f1 || bySimplicity(a.candidate, b.candidate));
  const [best] = ranked;
  const each = 1 - (1 - confidence) / Math.max(1, ranked.length - 1);
  return {
    losses: ranked.map(({ side, ...rest }) => {
      const difference =
        rest.candidate === best!.candidate ? null : heldDifferences(best!.side, side, each)[metric];
      return { ...rest, difference, isWithinNoise: difference === null || isNoise(difference) };
    }),
    seeds,
    effects: partEffects(
      judged.map(({ candidate, side }) => ({ candidate, drawn: joinSeeds(side.replicates) })),
      metric,
    ),
    replicates: drawn[0]!.replicates.length,
    confidence,
  };
}

function isNoise(difference: HeldDifference): boolean {
  return difference.holds === 'unclear' || !isOfOneSign(difference);
}

/** A pilot's validation images with cross-fitted labels, for each assignment ("deal") of images to folds. */
interface PilotModel {
  readonly folder: string;
  readonly deals: readonly ScoredImages[];
  readonly mAP: number | null;
}

/** How many labels can be decided in about a second. */
const labelsAtOnce = 1e5;
const mostDeals = 5;

/** With few images, the choice of folds matters as much as the loss, so they are dealt several times. */
async function modelOf({ folder, scores }: Run, decision: DecisionChoice): Promise<PilotModel> {
  const scored = await scores('validation');
  if (!scored) throw new UserError(`${folder}: no scores and labels for the validation split`);
  const count = Math.max(1, Math.min(mostDeals, Math.floor(labelsAtOnce / scored.scores.length)));
  const deals = Array.from({ length: count }, (_, deal) => {
    const labels = crossFitted(scored, decision, deal);
    if (!labels) throw new UserError(`${folder}: too few validation instances to fit a decision`);
    return labels;
  });
  return { folder, deals, mAP: measure(scored).mAP };
}

/** Maximum labels to resample over all models and replicates: about half a minute of work. */
const mostLabels = 4e9;

/** Each model's metrics as means over its deals. Deals divide the draws, so intervals reflect both. */
function drawnMetrics(models: readonly PilotModel[]): SeedReplicates[] {
  const labels = models.reduce((sum, { deals }) => sum + deals[0]!.scores.length, 0);
  const { length } = models[0]!.deals;
  const replicates = Math.ceil(Math.max(100, Math.min(1000, mostLabels / labels)) / length);
  const byDeal = Array.from({ length }, (_, deal) =>
    bootstrapSeeds(aligned(models.map(({ folder, deals }) => ({ folder, scored: deals[deal]! }))), {
      replicates,
      seed: deal,
    }),
  );
  return models.map((_, i) => {
    const dealt = byDeal.map((drawn) => drawn[i]![0]!);
    return { ...joinSeeds(dealt), replicates: dealt.flatMap((each) => each.replicates) };
  });
}

function aligned(models: readonly ScoresOfRun[]): JudgedModel[][] {
  const [first, ...others] = models;
  for (const other of others) {
    const reason = mismatch(first!, other);
    if (reason !== undefined)
      throw new UserError(`${reason}; the data changed between pilots; start over in another folder`);
  }
  const both = models.map(({ folder, scored }) => ({ folder, scored, validation: scored }));
  return alignedModels([both])[0]!.map(({ scored }) => [{ scored, thresholds: [0.5] }]);
}

function sharedSeeds(pilots: readonly Pilots[]): number[] {
  const [first, ...others] = pilots.map(({ runs }) => runs.map(({ seed }) => seed));
  return (first ?? []).filter((seed) => others.every((seeds) => seeds.includes(seed)));
}

interface Drawn {
  readonly candidate: Candidate;
  readonly drawn: SeedReplicates;
}

function partEffects(losses: readonly Drawn[], metric: 'macroF1' | 'macroF2'): PartEffect[] {
  const without: Readonly<Record<PartEffect['part'], (loss: Candidate['loss']) => Twin | undefined>> = {
    balancing: ({ name, lambda, beta }) => (beta === null ? undefined : { name, lambda, isBalanced: false }),
    'any-class term': ({ name, lambda, beta }) =>
      isAnyClass(name) ? { name: name.slice('any-'.length), lambda, isBalanced: beta !== null } : undefined,
    asl: ({ name, lambda, beta }) =>
      name.endsWith('asl')
        ? { name: name.replace('asl', 'bce'), lambda, isBalanced: beta !== null }
        : undefined,
  };
  return (['balancing', 'any-class term', 'asl'] as const).flatMap((part): PartEffect[] => {
    const pairs = losses.flatMap((loss) => {
      const wanted = without[part](loss.candidate.loss);
      const twin = wanted && losses.find(({ candidate }) => isTwin(candidate, wanted));
      return twin ? [{ loss, twin }] : [];
    });
    if (pairs.length === 0) return [];
    const f1 = seedDifference(
      joinSeeds(pairs.map(({ twin }) => twin.drawn)),
      joinSeeds(pairs.map(({ loss }) => loss.drawn)),
      confidence,
    )[metric];
    return f1 ? [{ part, pairs: pairs.length, f1 }] : [];
  });
}

/** A loss without one of its parts. */
interface Twin {
  readonly name: string;
  readonly lambda: number;
  readonly isBalanced: boolean;
}

function isTwin({ loss: { name, lambda, beta } }: Candidate, twin: Twin): boolean {
  const isSameLambda = !isAnyClass(name) || lambda === twin.lambda;
  return name === twin.name && isSameLambda && (beta !== null) === twin.isBalanced;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const defined = values.filter((value) => value !== null);
  if (defined.length < values.length) return null;
  return defined.reduce((sum, value) => sum + value, 0) / defined.length;
}
