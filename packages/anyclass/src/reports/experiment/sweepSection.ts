// Plots metrics against λ for each setup that was trained with several values of λ.

import type { PaperDataset } from '../../configuration/recipes.js';
import type { JudgedSplit } from '../../experiments/readRuns.js';
import { standardOf } from '../../experiments/seedGroups.js';
import { isAnyClass, standardLoss } from '../../losses/lossNames.js';
import { type SweepPanels, sweepCharts, sweepPanels } from '../sweepCharts.js';
import type { Group, Item, Material, Panel, ReportSection } from './material.js';
import { ablationTable, paperAblation } from './paper.js';

/**
 * Returns the charts, with the paper's ablation if the dataset is in the paper; empty if no setup has
 * several λ.
 */
export function sweepSection(material: Material, paper: PaperDataset | undefined): ReportSection {
  const sweeps = lambdaSweeps(material.groups);
  const splits: readonly JudgedSplit[] = material.split === 'test' ? ['validation', 'test'] : ['validation'];
  const items = sweeps.flatMap((sweep, i): Item[] => {
    const { network, loss } = sweep[0]!;
    const points = pointsOf(sweep, material.groups);
    const base = loss === 'any-focal' ? 'focal' : 'bce';
    const published = paper && paperAblation(paper, base);
    const table = paper && ablationTable(points, paper, base);
    const panel = (title: string, panels: SweepPanels, name: string): Panel => ({
      title,
      items: [{ kind: 'charts', charts: sweepCharts(panels, `lambda-${i + 1}-${name}`) }],
    });
    const charts: Item = {
      kind: 'choice',
      name: `sweep-${i + 1}`,
      legend: sweeps.length > 1 ? `${network}, ${loss}` : 'Split',
      panels: [
        ...splits.map((split) => panel(split, sweepPanels({ points, title: 'λ' }, split), split)),
        ...(published ? [panel('paper, validation', published, 'paper')] : []),
      ],
    };
    return table ? [charts, { kind: 'table', table: { name: `lambda-${i + 1}-paper`, table } }] : [charts];
  });
  return { name: 'lambda', title: 'λ', items };
}

/** Returns sets of at least two groups that differ only in λ. */
function lambdaSweeps(groups: readonly Group[]): Group[][] {
  const bySetUp = new Map<string, Group[]>();
  for (const group of groups) {
    if (!isAnyClass(group.loss)) continue;
    const key = `${group.network} ${group.label.replace(/λ=\S+/, '')}`;
    bySetUp.set(key, [...(bySetUp.get(key) ?? []), group]);
  }
  return [...bySetUp.values()].filter((sweep) => sweep.length > 1);
}

/** Returns the points of a sweep, with the standard loss first if it was trained. */
function pointsOf(sweep: readonly Group[], groups: readonly Group[]) {
  const standard = standardOf(sweep[0]!, groups);
  return [
    ...groups
      .filter((group) => group === standard && group.loss === standardLoss(sweep[0]!.loss))
      .map(({ metrics }) => ({ value: null, metrics })),
    ...sweep.map(({ lambda, metrics }) => ({ value: lambda, metrics })),
  ];
}
