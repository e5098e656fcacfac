import { effectiveNumberWeights } from '@anyclass/core';
import { type Dataset, type SplitName, splitNames } from '../data/dataset/dataset.js';
import type { ClassCount, Inspection, LabelCount, SplitCount } from './inspection.js';

type Labels = Pick<Dataset, 'classes' | 'splits' | 'labels'>;

/** Instances by split, and in total. */
export function countSplits({
  splits,
  labels,
  groups,
}: Pick<Dataset, 'splits' | 'labels' | 'groups'>): SplitCount[] {
  const count = (split: SplitCount['split'], rows: Int32Array): SplitCount => {
    const of = { positive: 0, negative: 0, undecided: 0 };
    const seen = new Set<number>();
    for (const row of rows) {
      of[labels.presence(row)] += 1;
      if (groups) seen.add(groups.codes[row]!);
    }
    return { split, ...of, total: rows.length, ...(groups && { groups: seen.size }) };
  };
  const counts = splitNames
    .filter((split) => split !== 'decision' || splits.decision.length > 0)
    .map((split) => count(split, splits[split]));
  const all = Int32Array.from(splitNames.flatMap((split) => [...splits[split]]));
  return [...counts, count('all', all)];
}

/** Positive instances of each class by split. */
export function countClasses({
  classes,
  splits,
  labels,
  annotationCounts,
}: Labels & Pick<Dataset, 'annotationCounts'>): ClassCount[] {
  const ofSplit = (split: SplitName) => {
    const counts = new Int32Array(classes.length);
    for (const row of splits[split]) for (const j of labels.present(row)) counts[j] = counts[j]! + 1;
    return counts;
  };
  const [train, validation, test, decision] = splitNames.map(ofSplit);
  return classes.map((name, j) => ({
    name,
    train: train![j]!,
    validation: validation![j]!,
    test: test![j]!,
    ...(splits.decision.length > 0 && { decision: decision![j]! }),
    ...(annotationCounts && { annotations: annotationCounts[j]! }),
  }));
}

/** Unknown, uncertain, and soft labels of each class, over all splits. */
export function countPartialLabels({ classes, splits, labels }: Labels): LabelCount[] {
  const counts = classes.map((name) => ({ name, unknown: 0, uncertain: 0, soft: 0 }));
  if (!labels.hasUnknown && !labels.hasUncertain && !labels.hasSoft) return counts;
  for (const split of splitNames) {
    for (const row of splits[split]) {
      counts.forEach((count, j) => {
        const target = labels.at(row, j);
        if (Number.isNaN(target)) count.unknown += 1;
        else if (target > 0 && target < 1) count.soft += 1;
        if (labels.isUncertain(row, j)) count.uncertain += 1;
      });
    }
  }
  return counts;
}

/** Instances that show any class of a family, by split, and instances that show each pair of families. */
export function countFamilies(dataset: Dataset): Pick<Inspection, 'familyCounts' | 'familyCooccurrence'> {
  const { splits, labels, annotationCounts } = dataset;
  const families = familiesOf(dataset);
  const shows = (row: number, members: readonly number[]) => members.some((j) => labels.isPresent(row, j));
  const familyCounts = families.map(({ name, members }) => {
    const count = (split: SplitName) =>
      splits[split].reduce((sum, row) => sum + Number(shows(row, members)), 0);
    return {
      name,
      train: count('train'),
      validation: count('validation'),
      test: count('test'),
      ...(splits.decision.length > 0 && { decision: count('decision') }),
      ...(annotationCounts && { annotations: members.reduce((sum, j) => sum + annotationCounts[j]!, 0) }),
    };
  });
  const familyCooccurrence = families.map(() => new Array<number>(families.length).fill(0));
  for (const split of splitNames) {
    for (const row of families.length > 0 ? splits[split] : []) {
      if (labels.presence(row) === 'undecided') continue;
      const shown = [...families.keys()].filter((i) => shows(row, families[i]!.members));
      for (const a of shown)
        for (const b of shown) familyCooccurrence[a]![b] = familyCooccurrence[a]![b]! + 1;
    }
  }
  return { familyCounts, familyCooccurrence };
}

/** The families that have a class in the dataset, with the indices of their classes. */
function familiesOf({ classes, classFamilies = [] }: Dataset) {
  return classFamilies
    .map(({ name, classes: names }) => ({
      name,
      members: names.map((className) => classes.indexOf(className)).filter((j) => j >= 0),
    }))
    .filter(({ members }) => members.length > 0);
}

/**
 * Pairs are counted for at most this many classes, the most frequent: all pairs of
 * 20,000 would fill the memory.
 */
const mostPaired = 500;

/** Labels per instance and pairs of classes, over all splits. */
export function countTogether({
  classes,
  splits,
  labels,
}: Labels): Pick<Inspection, 'labelsPerInstance' | 'pairedClasses' | 'cooccurrence'> {
  const labelsPerInstance: number[] = [];
  const counts = new Float64Array(classes.length);
  const each = (visit: (present: ArrayLike<number> & Iterable<number>) => void) => {
    for (const split of splitNames)
      for (const row of splits[split]) if (labels.presence(row) !== 'undecided') visit(labels.present(row));
  };
  each((present) => {
    labelsPerInstance[present.length] = (labelsPerInstance[present.length] ?? 0) + 1;
    for (const j of present) counts[j] = counts[j]! + 1;
  });
  const paired = mostFrequent(counts, mostPaired);
  const placeOf = new Int32Array(classes.length).fill(-1);
  paired.forEach((j, place) => {
    placeOf[j] = place;
  });
  const cooccurrence = paired.map(() => new Array<number>(paired.length).fill(0));
  each((present) => {
    const places = Array.from(present, (j) => placeOf[j]!).filter((place) => place >= 0);
    for (const a of places) for (const b of places) cooccurrence[a]![b] = cooccurrence[a]![b]! + 1;
  });
  return {
    labelsPerInstance: Array.from(labelsPerInstance, (count) => count ?? 0),
    pairedClasses: paired.map((j) => classes[j]!),
    cooccurrence,
  };
}

/** The indices of the largest counts, in ascending order. */
function mostFrequent(counts: Float64Array, most: number): number[] {
  const places = [...counts.keys()];
  if (places.length <= most) return places;
  return places
    .sort((a, b) => counts[b]! - counts[a]! || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
}

/** Class-balancing weights of the training split; 0 for a class without examples. */
export function balanceWeights(
  classCounts: readonly ClassCount[],
  splits: readonly SplitCount[],
  beta: number,
): Inspection['balance'] {
  const counts = classCounts.map(({ train }) => train);
  const negative = splits.find(({ split }) => split === 'train')?.negative ?? 0;
  if (negative === 0 && counts.every((count) => count === 0)) {
    return { beta, classWeights: counts.map(() => 0), negativeWeight: 0 };
  }
  const weights = effectiveNumberWeights(counts, negative, { beta, emptyClass: 'zero' });
  return { beta, classWeights: [...weights.classWeights], negativeWeight: weights.negativeWeight };
}
