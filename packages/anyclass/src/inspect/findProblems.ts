import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import type { DuplicateGroups } from '../data/lookAlikes/duplicates.js';
import { inflected, type Words } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import type { ExaminedFeatures } from './examineFeatures.js';
import type { Examined } from './examineImages.js';
import { foundImages } from './foundImages.js';
import type { ClassCount, LabelSuspect, Problem, SplitCount } from './inspection.js';
import { scarcePositives } from './validationPositives.js';

/** Problems in the labels and splits. */
export function labelProblems(
  dataset: Dataset,
  splits: readonly SplitCount[],
  classCounts: readonly ClassCount[],
): Problem[] {
  const problems: Problem[] = dataset.remarks.map((remark) => ({ kind: 'reader', ...remark }));
  problems.push(
    ...noValidation(splits),
    ...groupsAcrossSplits(dataset),
    ...(isUnlearnable(splits)
      ? [nothingToLearn]
      : [...rareClasses(splits, classCounts), ...scarcePositives(splits, classCounts)]),
  );
  const all = splits.find(({ split }) => split === 'all')?.total ?? 0;
  const unsplit = dataset.names.length - all;
  if (unsplit > 0) {
    problems.push({
      kind: 'unsplit',
      text: `${inflected(unsplit, 'row')} in no split`,
      count: unsplit,
      examples: [],
    });
  }
  return problems;
}

/** Problems in the images. */
export function imageProblems(
  dataset: Dataset,
  { duplicates, nearDuplicates, oneColor, overclaimed, quarantined, levelProblems }: Examined,
): Problem[] {
  const problems: Problem[] = [...levelProblems];
  if (quarantined.length > 0) {
    problems.push({
      kind: 'unreadable',
      text: `${inflected(quarantined.length, 'image')} missing or unreadable: quarantined, not replaced by other images`,
      count: quarantined.length,
      examples: quarantined.slice(0, 10).map(({ name, reason }) => lineAbout(name, reason)),
    });
  }
  const named = namer(dataset);
  problems.push(
    ...duplicateProblems(dataset, 'duplicate', duplicates, {
      sign: '=',
      words: ['set of byte-identical images', 'sets of byte-identical images'],
    }),
    ...duplicateProblems(dataset, 'near-duplicate', nearDuplicates, {
      sign: '≈',
      words: ['set of images that look alike', 'sets of images that look alike'],
      why: 'copies that were re-encoded, resized, or brightened',
    }),
  );
  if (overclaimed.length > 0) {
    problems.push({
      kind: 'overclaimed-size',
      text: `${inflected(overclaimed.length, 'image that claims', 'images that claim')} far more pixels than the file can hold: truncated or malicious`,
      count: overclaimed.length,
      examples: overclaimed.slice(0, 10).map(named),
    });
  }
  if (oneColor.length > 0) {
    const text = `${inflected(oneColor.length, 'image')} of nearly a single color`;
    problems.push({
      kind: 'one-color',
      text,
      count: oneColor.length,
      examples: oneColor.slice(0, 10).map(named),
    });
  }
  return problems;
}

/** Problems in the feature vectors. */
export function featureProblems(dataset: Dataset, { summary, duplicates }: ExaminedFeatures): Problem[] {
  const { constant, missing } = summary;
  return [
    ...duplicateProblems(dataset, 'duplicate', duplicates, {
      sign: '=',
      words: ['set of rows with identical features', 'sets of rows with identical features'],
    }),
    ...(constant.length > 0
      ? [
          {
            kind: 'constant-feature' as const,
            text: `${inflected(constant.length, 'feature')} with the same value in all rows: no information`,
            count: constant.length,
            examples: constant.slice(0, 10),
          },
        ]
      : []),
    ...(missing > 0
      ? [
          {
            kind: 'missing-feature' as const,
            text: `missing ${inflected(missing, 'value: it', 'values: each')} counts as the training mean of its feature`,
            count: missing,
            examples: [],
          },
        ]
      : []),
  ];
}

/**
 * Sets of identical or similar rows: all of them, those in several splits, and those with different labels.
 */
function duplicateProblems(
  dataset: Dataset,
  kind: 'duplicate' | 'near-duplicate',
  all: DuplicateGroups,
  { sign, words, why }: { readonly sign: string; readonly words: Words; readonly why?: string },
): Problem[] {
  const imageOf = foundImages(dataset);
  const named = namer(dataset);
  const splitsOf = (rows: readonly number[]) => new Set(rows.map((row) => imageOf(row).split)).size;
  const found: readonly (readonly [Problem['kind'], Words, string, DuplicateGroups])[] = [
    [kind, words, why === undefined ? '' : `: ${why}`, all],
    [
      `${kind}-across-splits`,
      [`${words[0]} in`, `${words[1]} in`],
      ` more than one split, which inflates metrics; ${remedy(dataset)}`,
      all.filter((rows) => splitsOf(rows) > 1),
    ],
    [
      `${kind}-labels-differ`,
      words,
      ' with different labels',
      all.filter((rows) => contradict(dataset, rows)),
    ],
  ];
  return found.flatMap(([ownKind, ownWords, rest, sets]) => {
    if (sets.length === 0) return [];
    const examples = sets.slice(0, 10).map((rows) => rows.slice(0, 4).map(named).join(` ${sign} `));
    const text = `${inflected(sets.length, ...ownWords)}${rest}`;
    return [{ kind: ownKind, text, count: sets.length, examples }];
  });
}

/** Whether rows have different labels of a class, among those that are known. */
function contradict({ classes, labels }: Dataset, rows: readonly number[]): boolean {
  return classes.some(
    (_, j) =>
      new Set(rows.map((row) => labels.at(row, j)).filter((target) => !Number.isNaN(target))).size > 1,
  );
}

/** What keeps equal images out of two splits. */
function remedy({ features, hasOwnSplits }: Dataset): string {
  const field = features
    ? 'data.columns.group to a column that keeps'
    : 'data.groups to look-alikes, which keeps';
  return `set ${field} each set in one split${hasOwnSplits ? ', and data.draw to draw the splits' : ''}`;
}

/** Describes a row by its name and split. */
function namer(dataset: Dataset): (row: number) => string {
  const imageOf = foundImages(dataset);
  return (row) => {
    const { name, split } = imageOf(row);
    return `${name} (${split ?? 'no split'})`;
  };
}

/** Labels that contradict a model's scores. */
export function suspectProblems(suspects: readonly LabelSuspect[]): Problem[] {
  if (suspects.length === 0) return [];
  const text = inflected(
    suspects.length,
    'label that contradicts the run',
    'labels that contradict the run; the first cost most if they are wrong',
  );
  const examples = suspects.slice(0, 10).map(({ name, class: className, kind, source, score, typical }) => {
    const label = kind === 'missing' ? 'is not labeled' : 'is labeled';
    const others = kind === 'missing' ? 'labeled' : 'unlabeled';
    const how = source === 'margins' ? 'scored, over the epochs,' : 'scores';
    return `${name}: '${className}' ${label} and ${how} ${score.toFixed(3)} (${others} images: ${typical.toFixed(3)})`;
  });
  return [{ kind: 'suspect-label', text, count: suspects.length, examples }];
}

function groupsAcrossSplits({ groups, splits, names }: Dataset): Problem[] {
  if (!groups) return [];
  const splitOf = new Int8Array(groups.names.length).fill(-1);
  const shared = new Map<number, string>();
  splitNames.forEach((split, s) => {
    for (const row of splits[split]) {
      const code = groups.codes[row]!;
      if (splitOf[code] === -1) splitOf[code] = s;
      else if (splitOf[code] !== s && !shared.has(code)) {
        shared.set(
          code,
          `${groups.names[code]} (${splitNames[splitOf[code]!]} and ${split}: ${names.at(row)})`,
        );
      }
    }
  });
  if (shared.size === 0) return [];
  const text = `${inflected(shared.size, 'group')} ('${groups.column}') in more than one split`;
  return [
    { kind: 'group-across-splits', text, count: shared.size, examples: [...shared.values()].slice(0, 10) },
  ];
}

/** Training refuses to start without a positive instance. */
const nothingToLearn: Problem = {
  kind: 'no-positives',
  text: 'training instances have a class: there is nothing to learn; check which columns are read as classes, and how labels are written and separated (data.columns)',
  count: 0,
  examples: [],
};

/** Whether training instances are labeled, and all negative. */
export function isUnlearnable(splits: readonly SplitCount[]): boolean {
  return splits.some(({ split, positive, negative }) => split === 'train' && positive === 0 && negative > 0);
}

/** Training refuses to start without labeled validation instances. */
function noValidation(splits: readonly SplitCount[]): Problem[] {
  const labeled = (name: SplitCount['split']) =>
    splits.some(({ split, positive, negative }) => split === name && positive + negative > 0);
  if (!labeled('train') || labeled('validation')) return [];
  const text =
    'labeled validation instances: training needs some; provide a validation split, or draw splits with data.draw={}';
  return [{ kind: 'no-validation', text, count: 0, examples: [] }];
}

function rareClasses(splits: readonly SplitCount[], classCounts: readonly ClassCount[]): Problem[] {
  const labeled = splitNames.filter((name) => {
    const count = splits.find(({ split }) => split === name);
    return count !== undefined && count.positive + count.negative > 0;
  });
  const examples = classCounts.flatMap((count) => {
    const rare = labeled.filter((split) => (count[split] ?? 0) < 2);
    return rare.length === 0
      ? []
      : [`${count.name}: ${rare.map((split) => `${count[split] ?? 0} in ${split}`).join(', ')}`];
  });
  if (examples.length === 0) return [];
  const text = `${inflected(examples.length, 'class')} with fewer than two examples in a split`;
  return [{ kind: 'rare-class', text, count: examples.length, examples }];
}
