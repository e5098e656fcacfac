// Ranks compare what they run before they start: with different work, they would train nonsense together.

import { UserError } from '../errors/userError.js';
import { gatherTexts } from './exchange.js';
import type { Ranks } from './ranks.js';

/** Values that must be the same on all ranks, with names for the message. */
export type Common = Readonly<Record<string, string>>;

/**
 * Throws on all ranks if one of them differs from the first.
 *
 * @example
 * await checkAgreement(ranks, { 'version of anyclass': version(), 'the data': datasetFingerprint(dataset) });
 */
export async function checkAgreement(ranks: Ranks, own: Common): Promise<void> {
  const all: Common[] = (await gatherTexts(ranks, JSON.stringify(own))).map((text) => JSON.parse(text));
  const [first = {}] = all;
  const differences = all.flatMap((other, rank) => differencesOf(first, other, rank));
  if (differences.length === 0) return;
  throw new UserError(
    [
      'the ranks do not agree on what they run:',
      ...differences.map((difference) => `  ${difference}`),
      'start all of them with the same version, configuration and data',
    ].join('\n'),
    { code: 'ranks-differ' },
  );
}

function differencesOf(first: Common, other: Common, rank: number): string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(other)])]
    .filter((name) => first[name] !== other[name])
    .map(
      (name) => `${name}: ${first[name] ?? 'nothing'} on rank 0, ${other[name] ?? 'nothing'} on rank ${rank}`,
    );
}
