import { type Dataset, splitNames } from '../data/dataset.js';
import type { DuplicateGroups } from './duplicates.js';
import type { Examined } from './examineImages.js';
import type { ClassCount, Problem, SplitCount } from './inspection.js';
import { scarcePositives } from './validationPositives.js';

/** What in the labels and splits needs a look. */
export function labelProblems(
  dataset: Dataset,
  splits: readonly SplitCount[],
  classCounts: readonly ClassCount[],
): Problem[] {
  const problems: Problem[] = dataset.remarks.map((remark) => ({ kind: 'reader', ...remark }));
  problems.push(
    ...groupsAcrossSplits(dataset),
    ...rareClasses(splits, classCounts),
    ...scarcePositives(splits, classCounts),
  );
  const all = splits.find(({ split }) => split === 'all')?.total ?? 0;
  const unsplit = dataset.names.length - all;
  if (unsplit > 0) {
    problems.push({ kind: 'unsplit', text: 'rows that belong to no split', count: unsplit, examples: [] });
  }
  return problems;
}

/** What in the images needs a look. */
export function imageProblems(dataset: Dataset, { duplicates, quarantined }: Examined): Problem[] {
  const problems: Problem[] = [];
  if (quarantined.length > 0) {
    problems.push({
      kind: 'unreadable',
      text: 'images missing or unreadable: quarantined, never replaced by others',
      count: quarantined.length,
      examples: quarantined.slice(0, 10).map(({ name, reason }) => `${name}: ${reason}`),
    });
  }
  const splitOf = splitOfRows(dataset);
  const labelsOf = (row: number) => dataset.classes.map((_, j) => dataset.labels.at(row, j)).join();
  const across = duplicates.filter((rows) => new Set(rows.map((row) => splitOf[row])).size > 1);
  const differing = duplicates.filter((rows) => new Set(rows.map(labelsOf)).size > 1);
  const add = (kind: Problem['kind'], text: string, groups: DuplicateGroups) => {
    if (groups.length === 0) return;
    const named = (row: number) => `${dataset.names.at(row)} (${splitNames[splitOf[row]!] ?? 'no split'})`;
    const examples = groups.slice(0, 10).map((rows) => rows.slice(0, 4).map(named).join(' = '));
    problems.push({ kind, text, count: groups.length, examples });
  };
  add('duplicate', 'sets of images that are the same, byte for byte', duplicates);
  add(
    'duplicate-across-splits',
    'of these stand in more than one split: what is tested was trained on',
    across,
  );
  add('duplicate-labels-differ', 'of these have different labels', differing);
  return problems;
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
  const text = `groups ('${groups.column}') in more than one split`;
  return [
    { kind: 'group-across-splits', text, count: shared.size, examples: [...shared.values()].slice(0, 10) },
  ];
}

function rareClasses(splits: readonly SplitCount[], classCounts: readonly ClassCount[]): Problem[] {
  const labeled = splitNames.filter((name) => {
    const count = splits.find(({ split }) => split === name);
    return count !== undefined && count.positive + count.negative > 0;
  });
  const examples = classCounts.flatMap((count) =>
    labeled.filter((split) => count[split] < 2).map((split) => `${count.name}: ${count[split]} in ${split}`),
  );
  if (examples.length === 0) return [];
  return [
    {
      kind: 'rare-class',
      text: 'classes with no or one example in a split',
      count: examples.length,
      examples,
    },
  ];
}

function splitOfRows({ splits, names }: Dataset): Int8Array {
  const splitOf = new Int8Array(names.length).fill(-1);
  splitNames.forEach((split, s) => {
    for (const row of splits[split]) splitOf[row] = s;
  });
  return splitOf;
}
