import type { Inspection, Problem } from './inspection.js';

/** What harms training or its metrics; the rest is worth knowing. */
const serious: readonly Problem['kind'][] = [
  'group-across-splits',
  'duplicate-across-splits',
  'near-duplicate-across-splits',
  'unreadable',
  'duplicate-labels-differ',
  'near-duplicate-labels-differ',
  'unsplit',
  'scarce-validation',
];

/** Texts that need the problem before them. */
const wordsOf: Partial<Record<Problem['kind'], string>> = {
  'duplicate-across-splits': 'sets of the same instance in more than one split',
  'near-duplicate-across-splits': 'sets of images that look alike in more than one split',
  'duplicate-labels-differ': 'sets of the same instance with different labels',
  'near-duplicate-labels-differ': 'sets of images that look alike with different labels',
};

/**
 * The inspection in two sentences: what the data is, and what to look at first.
 *
 * @example
 * inspectionVerdict(inspection).text
 * // '5,000 instances, 17 classes, 53.1% negative; start with λ 0.02. Look first at: 3 groups ('patient') in more than one split.'
 */
export function inspectionVerdict(inspection: Inspection): {
  readonly text: string;
  readonly isDoubtful: boolean;
} {
  const { splits, classes, problems, lambda } = inspection;
  const { total, positive, negative } = splits.at(-1)!;
  const share = (100 * negative) / Math.max(1, positive + negative);
  const counted = (count: number, word: string, plural = `${word}s`) =>
    `${count.toLocaleString('en-US')} ${count === 1 ? word : plural}`;
  const what = `${counted(total, 'instance')}, ${counted(classes.length, 'class', 'classes')}, ${share.toFixed(1)}% negative; start with λ ${lambda.start}.`;
  const found = serious.flatMap((kind) => problems.find((problem) => problem.kind === kind) ?? []);
  const [first] = found;
  if (first) {
    const others = problems.length - 1;
    const more = others === 0 ? '' : ` (and ${counted(others, 'other finding')})`;
    const words = `${first.count.toLocaleString('en-US')} ${wordsOf[first.kind] ?? first.text}`.replace(
      /[:;] .*$/,
      '',
    );
    return { text: `${what} Look first at: ${words}${more}.`, isDoubtful: true };
  }
  const text =
    problems.length === 0
      ? `${what} No problems were found.`
      : `${what} ${counted(problems.length, 'finding')} below, none of which prevents training.`;
  return { text, isDoubtful: false };
}
