// Figures against λ, as in the paper: F1, F2 and mAP in one panel, F1-Neg in the other.

import type { PaperFigure } from '@anyclass/core';
import { figureTitles } from '../../experiments/comparisonTables.js';
import type { JudgedSplit } from '../../experiments/readRuns.js';
import { isAnyClass, standardOf } from '../../experiments/seedGroups.js';
import type { Spread } from '../../experiments/spread.js';
import type { Figure } from '../../pages/blocks.js';
import { type SweepLine, type SweepPoint, sweepChart } from '../charts/sweepChart.js';
import type { Group, Item, Material, ReportSection } from './material.js';
import { paperAblation } from './paper.js';

/** For each set-up that was trained with several λ; nothing where there is none. */
export function sweepSection(material: Material, paper: boolean): ReportSection {
  const sweeps = lambdaSweeps(material.groups);
  const splits: readonly JudgedSplit[] = material.split === 'test' ? ['validation', 'test'] : ['validation'];
  const items = sweeps.map((groups, i): Item => {
    const panels = splits.map((split) => ({
      title: split,
      items: [figuresItem(sweepFigures(groups, material.groups, split, `lambda-${i + 1}-${split}`))],
    }));
    const published = paper ? paperAblation(material.dataset, standardName(groups[0]!)) : undefined;
    return {
      kind: 'choice',
      name: `sweep-${i + 1}`,
      legend: sweeps.length > 1 ? `${groups[0]!.network}, ${groups[0]!.loss}` : 'Split',
      panels: [
        ...panels,
        ...(published
          ? [
              {
                title: 'the paper’s, validation',
                items: [figuresItem(panelPair(published, `lambda-${i + 1}-paper`))],
              },
            ]
          : []),
      ],
    };
  });
  return { name: 'lambda', title: 'λ', items };
}

/** Two panels. */
export interface SweepPanels {
  readonly standard: string;
  readonly upper: readonly SweepLine[];
  readonly negative: readonly SweepLine[];
}

function panelPair({ standard, upper, negative }: SweepPanels, name: string): Figure[] {
  const figure = (suffix: string, title: string, lines: readonly SweepLine[]): Figure => ({
    name: `${name}-${suffix}`,
    title,
    svg: sweepChart(lines, { title: `${title} against λ`, x: 'λ', y: '%', standard }),
  });
  return [
    figure('figures', upper.map((line) => line.name).join(', '), upper),
    figure('negatives', 'F1-Neg', negative),
  ];
}

function figuresItem(figures: readonly Figure[]): Item {
  return { kind: 'figures', figures };
}

/** Groups that differ in λ alone, at least two of them. */
function lambdaSweeps(groups: readonly Group[]): Group[][] {
  const bySetUp = new Map<string, Group[]>();
  for (const group of groups) {
    if (!isAnyClass(group.loss)) continue;
    const key = `${group.network} ${group.label.replace(/λ=\S+/, '')}`;
    bySetUp.set(key, [...(bySetUp.get(key) ?? []), group]);
  }
  return [...bySetUp.values()].filter((sweep) => sweep.length > 1);
}

function sweepFigures(
  sweep: readonly Group[],
  groups: readonly Group[],
  split: JudgedSplit,
  name: string,
): Figure[] {
  const standard = standardOf(sweep[0]!, groups);
  const line = (figure: PaperFigure): SweepLine => ({
    name: figureTitles[figure],
    points: [
      ...groups
        .filter((group) => group === standard)
        .flatMap((group) => pointOf(group.figures[split]?.[figure], null)),
      ...sweep.flatMap((group) => pointOf(group.figures[split]?.[figure], group.lambda)),
    ],
  });
  const figures = sweep[0]!.figures.figures;
  return panelPair(
    {
      standard: standardName(sweep[0]!),
      upper: figures.filter((figure) => figure !== 'f1Neg').map(line),
      negative: [line('f1Neg')],
    },
    name,
  );
}

/** Error bars are the standard deviation over seeds, or both ends of two. */
function pointOf(spread: Spread | null | undefined, value: number | null): SweepPoint[] {
  if (!spread) return [];
  const { mean, standardDeviation, lowest, highest, values } = spread;
  const [low, high] =
    values.length === 2
      ? [lowest, highest]
      : [mean - (standardDeviation ?? 0), mean + (standardDeviation ?? 0)];
  return [{ value, mean: 100 * mean, ...(values.length > 1 && { low: 100 * low, high: 100 * high }) }];
}

function standardName({ loss }: Group): 'bce' | 'focal' {
  return loss === 'any-focal' || loss === 'focal' ? 'focal' : 'bce';
}
