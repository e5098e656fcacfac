// Which groups are compared with each other, and which cannot be.

import { listed } from '../errors/listed.js';
import { mismatch } from './alignedModels.js';
import type { JudgedGroup } from './judgedGroup.js';
import { type SeedGroup, standardCandidates, standardOf } from './seedGroups.js';

/** A group, and the group with the loss that it is compared with, on the same images. */
export interface LossPair {
  readonly tested: SeedGroup;
  readonly standard: SeedGroup;
}

/**
 * Returns all pairs of a loss and the one it is compared with. Pairs that were not evaluated on the same
 * images are left out, with a note that names two of their runs. So are losses with several standard-loss
 * groups, none of which has the same settings.
 */
export function lossPairs(judged: readonly JudgedGroup[]): {
  readonly pairs: readonly LossPair[];
  readonly notes: readonly string[];
} {
  const groups = judged.map(({ group }) => group);
  const pairs: LossPair[] = [];
  const notes: string[] = [];
  for (const one of judged) {
    const standard = standardOf(one.group, groups);
    if (!standard) {
      const candidates = standardCandidates(one.group, groups);
      if (candidates.length > 0)
        notes.push(
          `${one.group.label} is not compared: ${listed(candidates.map(({ label }) => label))} all differ from it in more than the loss`,
        );
      continue;
    }
    const reason = groupMismatch(one, judgedOf(standard, judged));
    if (reason === undefined) pairs.push({ tested: one.group, standard });
    else notes.push(`${one.group.label} is not compared with ${standard.label}: ${reason}`);
  }
  return { pairs, notes };
}

export function judgedOf(group: SeedGroup, judged: readonly JudgedGroup[]): JudgedGroup {
  return judged.find((one) => one.group === group)!;
}

function groupMismatch(one: JudgedGroup, standard: JudgedGroup): string | undefined {
  const [first, ...others] = [...standard.models, ...one.models];
  for (const { folder, scored, validation } of others) {
    const reason =
      mismatch({ folder, scored }, first!) ??
      mismatch({ folder, scored: validation }, { ...first!, scored: first!.validation });
    if (reason !== undefined) return reason;
  }
  return undefined;
}
