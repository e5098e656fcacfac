// How cleanlab orders labels by doubt, on the scores of held-out images and the mean probabilities of training images: by confidence
// in the given label (`label_quality_scores`, method self_confidence), and by confident learning, which keeps labels whose
// opposite is at least as likely as it usually is where it is given, ordered by the margin.

import { readFileSync } from 'node:fs';

interface Table {
  readonly names: readonly string[];
  readonly classNames: readonly string[];
  readonly values: ArrayLike<number>;
}

/** Labels by image: 1 or 0 for each class, in the order of the table. */
export type Labels = ReadonlyMap<string, readonly number[]>;

interface GivenLabel {
  readonly name: string;
  readonly j: number;
  readonly isPresent: boolean;
  /** The probability of presence. */
  readonly p: number;
}

export async function labelsOf(dataset: string): Promise<Labels> {
  const [, ...rows] = readFileSync(dataset, 'utf8').trimEnd().split('\n');
  return new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row.split(',');
      return [name, cells.map(Number)];
    }),
  );
}

export function selfConfidence(scores: readonly Table[], margins: Table, labels: Labels): string[] {
  return given(scores, margins, labels)
    .toSorted((a, b) => confidence(a) - confidence(b))
    .map(({ name }) => name);
}

export function confidentLearning(scores: readonly Table[], margins: Table, labels: Labels): string[] {
  const all = given(scores, margins, labels);
  const usual = (j: number, isPresent: boolean) => {
    const own = all.filter((each) => each.j === j && each.isPresent === isPresent);
    return own.reduce((sum, each) => sum + confidence(each), 0) / own.length;
  };
  const thresholds = new Map<string, number>();
  const thresholdOf = (j: number, isPresent: boolean) => {
    const key = `${j} ${isPresent}`;
    if (!thresholds.has(key)) thresholds.set(key, usual(j, isPresent));
    return thresholds.get(key)!;
  };
  return all
    .filter((each) => 1 - confidence(each) >= thresholdOf(each.j, !each.isPresent))
    .toSorted((a, b) => confidence(a) - confidence(b))
    .map(({ name }) => name);
}

function confidence({ isPresent, p }: GivenLabel): number {
  return isPresent ? p : 1 - p;
}

function given(scores: readonly Table[], margins: Table, labels: Labels): GivenLabel[] {
  const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));
  const rows = (table: Table, toProbability: (value: number) => number) =>
    table.names.flatMap((name, i) =>
      table.classNames.map((className, j) => ({
        name: `${name} ${className}`,
        j,
        isPresent: labels.get(name)?.[j] === 1,
        p: toProbability(table.values[i * table.classNames.length + j]!),
      })),
    );
  return [...scores.flatMap((table) => rows(table, (value) => value)), ...rows(margins, sigmoid)];
}
