import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import { nearestOrAll } from '../../errors/nearest.js';

/**
 * Finds the feature columns of a table: those that `chosen` names (`*` stands for any text), or else those
 * called `feature_0`, `feature_1`, and so on, as 'anyclass embed' writes them.
 *
 * @param others columns with another purpose, which patterns skip: row names, classes, splits, groups
 *
 * @example
 * featureColumns(['id', 'feature_0', 'feature_1', 'crack'], undefined, [], 'pipes.csv') // [1, 2]
 * featureColumns(['id', 'width', 'height', 'crack'], ['*'], ['id', 'crack'], 'pipes.csv') // [1, 2]
 */
export function featureColumns(
  columns: readonly string[],
  chosen: readonly string[] | undefined,
  others: readonly string[],
  file: string,
): number[] {
  if (chosen === undefined) {
    return columns.flatMap((name, i) => (isFeatureName(name) && !others.includes(name) ? [i] : []));
  }
  const found = new Set<number>();
  for (const pattern of chosen) {
    const exact = columns.indexOf(pattern);
    const matches =
      exact >= 0
        ? [exact]
        : columns.flatMap((name, i) =>
            name !== '' && matchesStars(name, pattern) && !others.includes(name) ? [i] : [],
          );
    if (matches.length === 0) {
      throw new DataError(
        `${file}: no column '${pattern}' (data.columns.features); ${nearestOrAll(pattern, columns, 'the columns are')}`,
      );
    }
    for (const index of matches) found.add(index);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The columns of the model's features if given, else the chosen ones, else all except
 * names, splits, and the like.
 */
export function chosenColumns(
  columns: readonly string[],
  {
    chosen,
    wanted,
    image,
    others,
    file,
  }: {
    readonly chosen: readonly string[] | undefined;
    readonly wanted: readonly string[] | undefined;
    readonly image: string | undefined;
    readonly others: readonly string[];
    readonly file: string;
  },
): number[] {
  if (wanted) {
    const missing = wanted.filter((name) => !columns.includes(name));
    if (missing.length > 0) {
      throw new DataError(
        `${file} lacks ${missing.length} of the model's ${wanted.length} features: ${listed(missing)}`,
      );
    }
    return wanted.map((name) => columns.indexOf(name));
  }
  const special = [...(image === undefined ? [] : [image]), ...others];
  return featureColumns(columns, chosen ?? ['*'], special, file);
}

function isFeatureName(name: string): boolean {
  return /^features?[_.:\- ]?\d+$/i.test(name);
}

/** Matched by hand, so that a user's pattern never becomes a regular expression. */
function matchesStars(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const [i, part] of rest.entries()) {
    if (i === rest.length - 1) return part === '' || (name.endsWith(part) && name.length - part.length >= at);
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
