// Compares two groups of runs on the same rows, with core itself.

import {
  type Difference,
  decisionExplorer,
  fitDecision,
  PRESENT_FROM,
  pairedSeedBootstrap,
  presenceOfRows,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  type ThresholdedModel,
} from '@anyclass/core';
import { type ReceivedScores, receivedScores } from '../../parts/scores.js';
import type { Compared, ComparedImages, ComparedMetric, ComparedRun, CompareQuestion } from './messages.js';

const mostRows = 8;

/** A run with the decision that it gets at the common budget, and the rows that it is judged on. */
interface JudgedRun {
  readonly id: string;
  readonly seed: number;
  readonly received: ReceivedScores;
  readonly model: ThresholdedModel;
  /** Whether each row alarms. */
  readonly alarms: Uint8Array;
}

export function comparedRuns({ first, second, budget, replicates, seconds }: CompareQuestion): Compared {
  const groups = [first, second].map((group) => group.map((run) => judgedRun(run, budget)));
  const [one = [], two = []] = groups;
  const all = groups.flat();
  refuseOtherRows(all);
  const { header, scored } = all[0]!.received;
  const drawn = pairedSeedBootstrap(
    one.map(({ model }) => model),
    two.map(({ model }) => model),
    {
      replicates,
      seconds,
      allowSameSplit: true,
      ...(header.classImportance && { classImportance: header.classImportance }),
    },
  );
  const pairs = one.flatMap((run, i) => {
    const j = two.findIndex(({ seed }) => seed === run.seed);
    return j < 0 ? [] : [{ first: drawn.first[i]!, second: drawn.second[j]! }];
  });
  const metric = (
    name: string,
    difference: Difference | null,
    of: (metrics: (typeof drawn.first)[number]) => number | null,
    isMoreBetter = true,
  ): ComparedMetric[] => {
    if (!difference) return [];
    const seeds = pairs.flatMap((pair) => {
      const [a, b] = [of(pair.first), of(pair.second)];
      return a === null || b === null ? [] : [b - a];
    });
    const { first: before, second: after, value, low, high } = difference;
    return [{ name, first: before, second: after, value, low, high, isMoreBetter, seeds }];
  };
  const { overall, perClass } = drawn;
  const positives = header.classNames.map((_, j) =>
    countPresent(scored.targets, header.classNames.length, j),
  );
  return {
    rows: header.rows,
    replicates: drawn.replicates,
    sharedSeeds: pairs.length,
    metrics: [
      ...metric('mAP', overall.mAP, (of) => of.mAP),
      ...metric('F1 at the budget', overall.macroF1, (of) => of.macroF1),
      // By presence, as the images below and the page of Decide count them.
      ...metric('positives found', complement(overall.missedRate), ({ missedRate }) =>
        missedRate === null ? null : 1 - missedRate,
      ),
      ...metric('false alarms', overall.negativesAlarmed, (of) => of.negativesAlarmed, false),
      ...metric('F1-Neg', overall.f1Neg, (of) => of.f1Neg),
    ],
    classes: header.classNames.map((name, j) => ({
      name,
      present: positives[j]!,
      f1: metric(name, perClass.perClassF1[j] ?? null, (of) => of.perClassF1[j]!)[0] ?? null,
      ap: metric(name, perClass.perClassAP[j] ?? null, (of) => of.perClassAP[j]!)[0] ?? null,
    })),
    images: disagreements(one, two),
  };
}

function judgedRun({ id, seed, validation, test }: ComparedRun, budget: number): JudgedRun {
  const fitted = receivedScores(validation);
  const decision = fitDecision(fitted.scored, { budget: { falseAlarms: budget }, candidates: 'adaptive' });
  const received = test === null ? fitted : receivedScores(test);
  const { outcomes } = decisionExplorer(received.scored).apply(decision);
  return {
    id,
    seed,
    received,
    model: { scored: received.scored, threshold: decision },
    alarms: outcomes.map((outcome) => Number(outcome === 2)),
  };
}

/** Throws unless all runs were scored on the same rows in the same order. */
function refuseOtherRows([first, ...others]: readonly JudgedRun[]): void {
  const other = others.find(({ received }) => received.header.rowNames !== first?.received.header.rowNames);
  if (first && other)
    throw new Error(
      `${first.id} and ${other.id} were scored on different images, so they cannot be compared image by image`,
    );
}

/** Of a share, the difference in the rest. */
function complement(difference: Difference | null): Difference | null {
  if (!difference) return null;
  const { first, second, value, low, high } = difference;
  return { ...difference, first: 1 - first, second: 1 - second, value: -value, low: -high, high: -low };
}

function countPresent(targets: Float64Array, classes: number, j: number): number {
  let count = 0;
  for (let i = j; i < targets.length; i += classes) if (targets[i]! >= PRESENT_FROM) count++;
  return count;
}

function disagreements(one: readonly JudgedRun[], two: readonly JudgedRun[]): ComparedImages[] {
  const { scored, header } = one[0]!.received;
  const { classNames } = header;
  const kinds = presenceOfRows(scored.targets, classNames.length);
  const share = (runs: readonly JudgedRun[], row: number) =>
    runs.reduce((sum, { alarms }) => sum + alarms[row]!, 0) / runs.length;
  const found: Record<ComparedImages['kind'], { row: number; first: number; second: number }[]> = {
    'newly missed': [],
    'newly found': [],
    'new false alarms': [],
    'false alarms gone': [],
  };
  for (let row = 0; row < header.rows; row++) {
    const [first, second] = [share(one, row), share(two, row)];
    if (first === second) continue;
    const isMore = second > first;
    if (kinds[row] === ROW_POSITIVE)
      found[isMore ? 'newly found' : 'newly missed'].push({ row, first, second });
    if (kinds[row] === ROW_NEGATIVE)
      found[isMore ? 'new false alarms' : 'false alarms gone'].push({ row, first, second });
  }
  const order = ['newly missed', 'newly found', 'new false alarms', 'false alarms gone'] as const;
  return order.map((kind) => ({
    kind,
    count: found[kind].length,
    rows: found[kind]
      .sort((a, b) => Math.abs(b.second - b.first) - Math.abs(a.second - a.first) || a.row - b.row)
      .slice(0, mostRows)
      .map(({ row, first, second }) => ({
        row,
        first,
        second,
        classes: classNames.filter((_, j) => scored.targets[row * classNames.length + j]! >= PRESENT_FROM),
      })),
  }));
}
