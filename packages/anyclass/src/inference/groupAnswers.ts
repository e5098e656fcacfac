// Answers for whole groups, such as patients or pipes, collected from those for their images.

import { type Decision, decideGroups, type Outcome, promiseUnit } from '@anyclass/core';
import type { FailedPrediction, Prediction } from './predictor.js';

/** The answer for a group. */
export interface GroupAnswer {
  readonly group: string;
  /** How many of its images were predicted, and how many could not be read. */
  readonly images: number;
  readonly unreadable: number;
  /** An alarm if any of its images alarms; clear only if all of them are, so never with one that could not be read. */
  readonly outcome: Outcome;
  /** Classes that are predicted in any of its images. */
  readonly labels: readonly string[];
  /** The highest of its images. */
  readonly presenceScore: number;
}

export interface GroupAnswers {
  add(group: string, prediction: Prediction | FailedPrediction): void;
  /** The answers, in the order in which groups first appeared. */
  finish(): GroupAnswer[];
}

/**
 * Collects the answers for groups.
 *
 * @example
 * const groups = createGroupAnswers(['crack', 'roots']);
 * for await (const prediction of predictor.predict(images)) groups.add(pipeOf(prediction.name), prediction);
 * groups.finish() // [{ group: 'pipe 7', images: 12, unreadable: 0, outcome: 'alarm', labels: ['roots'], presenceScore: 2.1 }, …]
 */
export function createGroupAnswers(classes: readonly string[]): GroupAnswers {
  const order = new Set<string>();
  const unreadable = new Map<string, number>();
  const groups: string[] = [];
  const labels: number[] = [];
  const presence: number[] = [];
  const outcomes: Outcome[] = [];
  return {
    add(group, prediction) {
      order.add(group);
      if ('failure' in prediction) {
        unreadable.set(group, (unreadable.get(group) ?? 0) + 1);
        return;
      }
      groups.push(group);
      for (const name of classes) labels.push(Number(prediction.labels.includes(name)));
      presence.push(prediction.presenceScore);
      outcomes.push(prediction.outcome);
    },
    finish() {
      const rows = { labels: Uint8Array.from(labels), presence: Float64Array.from(presence), outcomes };
      const decided = new Map(decideGroups(rows, groups).map((each) => [each.group, each]));
      return [...order].map((group) => {
        const own = decided.get(group);
        const unread = unreadable.get(group) ?? 0;
        const outcome = own?.outcome ?? 'review';
        return {
          group,
          images: own?.rows.length ?? 0,
          unreadable: unread,
          outcome: outcome === 'clear' && unread > 0 ? 'review' : outcome,
          labels: classes.filter((_, j) => own?.labels[j] === 1),
          presenceScore: own?.presence ?? 0,
        };
      });
    },
  };
}

/**
 * Says what the answers for groups rest on: nothing, unless the limits were promised for whole groups.
 *
 * @example
 * groupRemark(decision) // 'The limits of this decision count images, so nothing is promised about whole groups; …'
 */
export function groupRemark({ budget, report, fittedOn }: Decision): string | undefined {
  if (fittedOn !== null && promiseUnit(budget) === 'group') return undefined;
  if (!report.guarantee.holds) return undefined;
  return 'The limits of this decision count images, so nothing is promised about whole groups; fit it per group for that';
}
