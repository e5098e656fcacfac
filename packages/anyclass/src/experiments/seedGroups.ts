// Runs that differ only in their seed form one row of a table.

import { resultFields } from '../configuration/dottedFields.js';
import { isAnyClass, type LossName, standardLoss } from '../losses/lossNames.js';
import type { Run } from './readRuns.js';

/** Runs of one setup, in ascending order of seed. */
export interface SeedGroup {
  readonly dataset: string;
  readonly network: string;
  readonly loss: LossName;
  /** Only for the any-class losses. */
  readonly lambda: number | null;
  /** The loss with λ, and fields that differ from groups on the same data and network: `any-bce λ=0.2`. */
  readonly label: string;
  /** The label with no more of those fields than it takes to tell the group apart, for sentences and charts: `any-bce λ=0.2`. */
  readonly shortLabel: string;
  readonly seeds: readonly number[];
  readonly runs: readonly Run[];
}

/**
 * Groups runs by everything but their seed, in order of first appearance.
 *
 * @example
 * groupBySeed(readRuns(['comparisons/coco'])).map(({ label, seeds }) => [label, seeds])
 * // [['bce', [1, 2, 3]], ['any-bce λ=0.02', [1, 2, 3]]]
 */
export function groupBySeed(runs: readonly Run[]): SeedGroup[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const key = JSON.stringify([run.dataset, run.network, ...fieldsBut(run, ['seed'])]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const all = [...groups.values()].map((group) => group.toSorted((a, b) => a.seed - b.seed));
  return all.map((group) => {
    const first = group[0]!;
    const { dataset, network, loss, lambda } = first;
    const others = all.map((other) => other[0]!).filter(alike(first));
    const told = toldFields(first, others);
    return {
      dataset,
      network,
      loss,
      lambda: isAnyClass(loss) ? lambda : null,
      label: labelOf(first, told),
      shortLabel: labelOf(first, fewestFields(first, others, told)),
      seeds: group.map(({ seed }) => seed),
      runs: group,
    };
  });
}

/**
 * Removes duplicate runs: of several with the same configuration and seed, only the first is kept. Also
 * returns each removed run with the one that was kept.
 */
export function withoutTwins(runs: readonly Run[]): {
  readonly runs: readonly Run[];
  readonly twins: readonly { readonly left: Run; readonly kept: Run }[];
} {
  const kept = new Map<string, Run>();
  const twins: { readonly left: Run; readonly kept: Run }[] = [];
  for (const run of runs) {
    const key = JSON.stringify([run.dataset, run.network, ...fieldsBut(run, [])]);
    const first = kept.get(key);
    if (first) twins.push({ left: run, kept: first });
    else kept.set(key, run);
  }
  return { runs: [...kept.values()], twins };
}

/** Fields in which runs with an any-class loss and with its standard loss may differ in a fair comparison. */
const anyClassTerm: readonly string[] = ['seed', 'loss.name', 'loss.alpha', 'loss.lambda'];
/** What focal and asl have, and bce does not. */
const focusing: readonly string[] = ['loss.gamma', 'loss.gammaPositive', 'loss.gammaNegative', 'loss.clip'];

/** Fields in which runs with two losses may differ in a fair comparison. */
export function termOf(loss: LossName, other: LossName): readonly string[] {
  return standardLoss(loss) === standardLoss(other) ? anyClassTerm : [...anyClassTerm, ...focusing];
}

/**
 * Returns the group that a group is compared with: the one that differs only in the loss, or else the only one with that loss for the
 * same data and network.
 */
export function standardOf(group: SeedGroup, groups: readonly SeedGroup[]): SeedGroup | undefined {
  const candidates = standardCandidates(group, groups);
  const keyOf = ({ runs }: SeedGroup, term: readonly string[]) => JSON.stringify(fieldsBut(runs[0]!, term));
  return (
    candidates.find((each) => {
      const term = termOf(group.loss, each.loss);
      return keyOf(each, term) === keyOf(group, term);
    }) ?? (candidates.length === 1 ? candidates[0] : undefined)
  );
}

/**
 * All groups that a group may be compared with, for the same data and network: those with its own standard loss, such as focal of any-focal; of
 * another standard loss, or without such a group, those with bce.
 */
export function standardCandidates(group: SeedGroup, groups: readonly SeedGroup[]): SeedGroup[] {
  const of = (wanted: LossName) =>
    groups.filter(
      ({ dataset, network, loss }) =>
        dataset === group.dataset && network === group.network && loss === wanted && loss !== group.loss,
    );
  const own = of(standardLoss(group.loss));
  return own.length > 0 ? own : of('bce');
}

function fieldsBut({ configuration }: Run, left: readonly string[]): (readonly [string, string])[] {
  return [...resultFields(configuration)].filter(([field]) => !left.includes(field)).sort();
}

function alike(run: Run): (other: Run) => boolean {
  return ({ dataset, network, loss }) =>
    dataset === run.dataset && network === run.network && loss === run.loss;
}

/** The fields in which groups with the same loss differ, besides the seed and λ. */
function toldFields(run: Run, others: readonly Run[]): string[] {
  const own = resultFields(run.configuration);
  const settings = others.map(({ configuration }) => resultFields(configuration));
  const names = new Set(settings.flatMap((fields) => [...fields.keys()]));
  return [...names].filter(
    (name) =>
      name !== 'seed' &&
      name !== 'loss.lambda' &&
      settings.some((fields) => fields.get(name) !== own.get(name)),
  );
}

/** The first of these fields that tell a group apart from all others with the same loss, and the same λ where it is shown. */
function fewestFields(run: Run, others: readonly Run[], told: readonly string[]): string[] {
  const valueIn = ({ configuration }: Run, name: string) => resultFields(configuration).get(name);
  let alikeYet = others.filter(
    (other) => other !== run && (!isAnyClass(run.loss) || other.lambda === run.lambda),
  );
  return told.filter((name) => {
    const left = alikeYet.filter((other) => valueIn(other, name) === valueIn(run, name));
    const isNeeded = left.length < alikeYet.length;
    alikeYet = left;
    return isNeeded;
  });
}

/** Always shows λ for an any-class loss; other fields only if they are told. */
function labelOf(run: Run, told: readonly string[]): string {
  const own = resultFields(run.configuration);
  return [
    run.loss,
    ...(isAnyClass(run.loss) ? [`λ=${run.lambda}`] : []),
    ...told.flatMap((name) => {
      const value = own.get(name);
      if (name === 'loss.beta') return value === 'null' ? 'unbalanced' : `β=${value}`;
      return value === undefined ? [] : `${name.replace(/^loss\./, '')}=${value.replace(/^"(.*)"$/, '$1')}`;
    }),
  ].join(' ');
}
