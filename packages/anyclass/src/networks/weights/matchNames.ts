// Finds which tensor in a file belongs to which entry of a network.

import type { NamingConvention } from '../definition.js';

export interface NameMatch {
  readonly convention: NamingConvention;
  /** The prefix of every name, such as Lightning's `model.`. */
  readonly prefix: string;
  /** Maps our names to the file's; `name#1/3` is the second third of an entry. */
  readonly pairs: ReadonlyMap<string, string>;
  /** Names in the file that match nothing. */
  readonly unused: readonly string[];
}

/** Our names are those of the published TResNet and torchvision. */
const own: NamingConvention = { title: 'our names', translate: (name) => [name] };

/**
 * Finds the naming convention, our own or another, and the prefix with which most names in a file match a network.
 *
 * @example
 * const timm = { title: 'timm', translate: (name: string) => [name.replace('cls_token', 'class_token')] };
 * const match = matchNames([timm], ['model.cls_token', 'loss.weight'], new Set(['class_token']));
 * match.prefix // 'model.'
 * match.pairs // Map { 'class_token' => 'model.cls_token' }
 * match.unused // ['loss.weight']
 */
export function matchNames(
  conventions: readonly NamingConvention[],
  fileNames: readonly string[],
  ownNames: ReadonlySet<string>,
): NameMatch {
  const attempts = [own, ...conventions].flatMap((convention) =>
    prefixes(fileNames).map((prefix) => matchWith(convention, prefix, fileNames, ownNames)),
  );
  return attempts.reduce((best, attempt) => (attempt.pairs.size > best.pairs.size ? attempt : best));
}

function matchWith(
  convention: NamingConvention,
  prefix: string,
  fileNames: readonly string[],
  ownNames: ReadonlySet<string>,
): NameMatch {
  const pairs = new Map<string, string>();
  const unused: string[] = [];
  for (const fileName of fileNames) {
    const candidates = fileName.startsWith(prefix) ? convention.translate(fileName.slice(prefix.length)) : [];
    const own = candidates.find((name) => ownNames.has(name.replace(partNumber, '')) && !pairs.has(name));
    if (own === undefined) unused.push(fileName);
    else pairs.set(own, fileName);
  }
  return { convention, prefix, pairs, unused };
}

const partNumber = /#\d\/\d$/;
const deepestPrefix = 3;

/** Returns the candidate prefixes: none, and everything up to one of the first few dots of any name. */
function prefixes(names: readonly string[]): string[] {
  const found = new Set(['']);
  for (const name of names) {
    let end = -1;
    for (let depth = 0; depth < deepestPrefix; depth++) {
      end = name.indexOf('.', end + 1);
      if (end < 0) break;
      found.add(name.slice(0, end + 1));
    }
  }
  return [...found];
}
