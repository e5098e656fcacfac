import { counted } from '../errors/counted.js';
import type { Inspection, Problem } from './inspection.js';

/** Problems that harm training or its metrics, the most serious first. */
const serious: readonly Problem['kind'][] = [
  'no-positives',
  'no-validation',
  'group-across-splits',
  'duplicate-across-splits',
  'near-duplicate-across-splits',
  'unreadable',
  'duplicate-labels-differ',
  'near-duplicate-labels-differ',
  'unsplit',
  'scarce-validation',
];

/**
 * The inspection in two sentences: what the data contains, and what to look at first.
 *
 * @example
 * inspectionVerdict(inspection).text
 * // '5,000 instances, 17 classes, 53.1% negative; start with λ 0.02. Fix first: 3 groups ('patient') in more than one split.'
 */
export function inspectionVerdict(inspection: Inspection): {
  readonly text: string;
  /** Only what to look at first. */
  readonly first: string;
  readonly isDoubtful: boolean;
} {
  const { splits, classes, problems, lambda } = inspection;
  const { total, positive, negative } = splits.at(-1)!;
  const share = (100 * negative) / Math.max(1, positive + negative);
  const what = `${counted(total, 'instance')}, ${counted(classes.length, 'class')}, ${share.toFixed(1)}% negative; start with λ ${lambda.start}.`;
  const [first] = seriousFirst(problems).filter(({ kind }) => serious.includes(kind));
  const others = problems.length - 1;
  const more = others === 0 ? '' : ` (and ${counted(others, 'other finding')})`;
  const told = first
    ? `Fix first: ${briefly(first)}${more}.`
    : problems.length === 0
      ? 'No problems were found.'
      : `${counted(problems.length, 'finding')} below, none of which prevents training.`;
  return { text: `${what} ${told}`, first: told, isDoubtful: first !== undefined };
}

/** The problems, those that harm training or its metrics first. */
export function seriousFirst(problems: readonly Problem[]): Problem[] {
  const rank = ({ kind }: Problem) => (serious.includes(kind) ? serious.indexOf(kind) : serious.length);
  return problems.toSorted((a, b) => rank(a) - rank(b));
}

/** A problem in a few words that need no other sentence. */
export function briefly({ kind, count, text }: Problem): string {
  const only = kind === 'scarce-validation' ? 'only ' : '';
  return `${only}${count.toLocaleString('en-US')} ${text.replace(/[:;,] .*$/, '')}`;
}
