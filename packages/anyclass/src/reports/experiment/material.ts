// The input of a report on several runs, and the parts that it consists of.

import type {
  Comparison,
  ConfoundedPair,
  GroupMetrics,
  MethodDifference,
} from '../../experiments/comparisonResult.js';
import type { DecisionChoice } from '../../experiments/decisionText.js';
import type { JudgedSplit, Run, ScoredImages } from '../../experiments/readRuns.js';
import { groupBySeed, type SeedGroup } from '../../experiments/seedGroups.js';
import type { Chart } from '../../pages/blocks.js';
import type { ReportTable } from '../../tables/index.js';

/** The runs of one dataset, with their metrics. */
export interface Material {
  readonly dataset: string;
  readonly groups: readonly Group[];
  readonly differences: readonly MethodDifference[];
  readonly confounded: readonly ConfoundedPair[];
  /** The decision that every run is evaluated at. */
  readonly decision: DecisionChoice;
  readonly replicates: number;
  readonly confidence: number;
  /** Test, or validation if a run has no labeled test split. */
  readonly split: JudgedSplit;
}

/** Runs that differ only in their seed. */
export interface Group extends SeedGroup {
  /** The short label, with the network if there are several. */
  readonly name: string;
  readonly metrics: GroupMetrics;
}

/** A part of the report. Tables and charts can also be written as files. */
export type Item =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'table'; readonly table: ReportTable }
  | {
      readonly kind: 'charts';
      readonly charts: readonly Chart[];
      /** Whether they are files only, because the first screen shows them. */
      readonly areFilesOnly?: boolean;
    }
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly legend: string;
      readonly panels: readonly Panel[];
    };

export interface Panel {
  readonly title: string;
  readonly items: readonly Item[];
}

export interface ReportSection {
  readonly name: string;
  readonly title: string;
  /** What the contents call it, if not by its title; null leaves it out there. */
  readonly link?: string | null;
  readonly items: readonly Item[];
}

/** Returns the material of each dataset, in the order of the runs. */
export function materialOf(runs: readonly Run[], comparison: Comparison): Material[] {
  const groups = groupBySeed(runs);
  const datasets = [...new Set(groups.map(({ dataset }) => dataset))];
  return datasets.map((dataset) => {
    const own = groups.flatMap((group, i) =>
      group.dataset === dataset ? [{ ...group, metrics: comparison.groups[i]! }] : [],
    );
    const hasNetworks = new Set(own.map(({ network }) => network)).size > 1;
    return {
      dataset,
      groups: own.map((group) => ({
        ...group,
        name: hasNetworks ? `${group.network}, ${group.shortLabel}` : group.shortLabel,
      })),
      differences: comparison.differences.filter((each) => each.dataset === dataset),
      confounded: comparison.confounded.filter((each) => each.dataset === dataset),
      decision: comparison.decision,
      replicates: comparison.replicates,
      confidence: comparison.confidence,
      split: own.every(({ metrics }) => metrics.test) ? 'test' : 'validation',
    };
  });
}

/** Concatenates the scores of a group's runs, as if they came from one model; without presence and groups, which belong to each run. */
export async function pooledScores({ runs }: SeedGroup, split: JudgedSplit): Promise<ScoredImages> {
  const all = (await Promise.all(runs.map((run) => run.scores(split)))).filter((each) => each !== undefined);
  const first = all[0];
  if (!first) throw new RangeError(`${runs[0]?.folder}: no scores for ${split}`);
  const joined = (part: (scored: ScoredImages) => ArrayLike<number>) => {
    const values = new Float64Array(all.reduce((sum, scored) => sum + part(scored).length, 0));
    let at = 0;
    for (const scored of all) {
      values.set(part(scored), at);
      at += part(scored).length;
    }
    return values;
  };
  return {
    classNames: first.classNames,
    ...(first.split !== undefined && { split: first.split }),
    names: all.flatMap(({ names }) => names),
    scores: joined(({ scores }) => scores),
    targets: joined(({ targets }) => targets),
  };
}

/** Returns the mean of the defined values, or null if there are none. */
export function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const defined = values.filter((value) => value !== null && value !== undefined);
  return defined.length === 0 ? null : defined.reduce((sum, value) => sum + value, 0) / defined.length;
}
