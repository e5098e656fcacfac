// Compares our results with those that the paper published.

import type { PaperMetric } from '@anyclass/core';
import type { SweepLine } from '@anyclass/kit';
import { type PaperDataset, paperDatasets } from '../../configuration/recipes.js';
import { spreadCell } from '../../experiments/comparisonTables.js';
import { metricTitles } from '../../experiments/metrics.js';
import type { Cell, Column, Table } from '../../tables/index.js';
import type { SweepPanels } from '../sweepCharts.js';
import type { Group, Item, Material } from './material.js';
import { type PaperRow, type PublishedMetrics, paperLambdaAblation, paperLossTable } from './paperTables.js';

/** Which dataset of the paper ours is, or `auto` to recognize it by its name. */
export type PaperChoice = PaperDataset | 'auto';

/**
 * Returns the paper's dataset that ours is: recognized by its name or the classes that were kept, else the
 * one that `choice` names.
 *
 * @example
 * paperDataset('coco64 (coco-41)', 'auto') // 'coco-41'
 * paperDataset('nih128.parquet', 'chestxray14') // 'chestxray14'
 * paperDataset('digits', 'auto') // undefined
 */
export function paperDataset(dataset: string, choice: PaperChoice | undefined): PaperDataset | undefined {
  if (choice === undefined) return undefined;
  const told = paperDatasets.find((name) => new RegExp(`(^|\\W)${name}($|\\W)`).test(dataset));
  return told ?? (choice === 'auto' ? undefined : choice);
}

/** Returns a table of our rows above the paper's; nothing if the paper has none. */
export function paperItems({ dataset, groups }: Material, known: PaperDataset): Item[] {
  const published = paperLossTable(known);
  if (published.length === 0) return [];
  const { metrics } = groups[0]!.metrics;
  const columns = (group: string) =>
    metrics.map((metric): Column => ({ title: metricTitles[metric], kind: 'percent', group }));
  return [
    {
      kind: 'table',
      table: {
        name: `paper-${known}`,
        table: {
          title: `${dataset}, next to ${known} in the paper`,
          note: 'Percent, at a threshold of 0.5. The paper (arXiv 2506.05721) used one seed each; its networks were trained from scratch at 224 pixels.',
          columns: [
            { title: 'source', kind: 'text' },
            { title: 'network', kind: 'text' },
            { title: 'loss', kind: 'text' },
            ...columns('Validation'),
            ...columns('Test'),
          ],
          rows: [...groups.map((group) => ownRow(group, metrics)), ...published.map(publishedRow)],
        },
      },
    },
  ];
}

/** Returns the paper's λ ablation as panels. */
export function paperAblation(dataset: PaperDataset, base: 'bce' | 'focal'): SweepPanels | undefined {
  const found = paperLambdaAblation(dataset, base);
  if (!found) return undefined;
  const line = (name: string, at: number): SweepLine => ({
    name,
    points: [
      ...pointOf(null, found.standard[at]),
      ...found.anyClass.flatMap(([lambda, ...metrics]) => pointOf(lambda, metrics[at])),
    ],
  });
  return {
    title: 'λ',
    split: 'validation',
    standard: base,
    upper: [line('F1', 0), line('F2', 1), line('mAP', 2)],
    negative: [line('F1-Neg', 3)],
  };
}

/** One of our results by λ; null is the standard loss. */
interface AblationPoint {
  readonly value: number | null;
  readonly metrics: Group['metrics'];
}

const ablationMetrics = ['macroF1', 'macroF2', 'mAP', 'f1Neg'] as const;

/**
 * Returns our ablation next to the paper's, on the validation split, in ascending order of λ. Like the
 * paper's, it has F2 even if classes have an importance.
 */
export function ablationTable(
  points: readonly AblationPoint[],
  dataset: PaperDataset,
  base: 'bce' | 'focal',
): Table | undefined {
  const found = paperLambdaAblation(dataset, base);
  if (!found) return undefined;
  const published = new Map<number | null, PublishedMetrics>([
    [null, found.standard],
    ...found.anyClass.map(([lambda, ...metrics]) => [lambda, metrics] as const),
  ]);
  const values = [...new Set([...published.keys(), ...points.map(({ value }) => value)])];
  const columns = (group: string) =>
    ablationMetrics.map((metric): Column => ({ title: metricTitles[metric], kind: 'percent', group }));
  return {
    title: `λ with ${base}, next to ${dataset} in the paper`,
    note: 'Percent, on the validation split, at a threshold of 0.5. The paper used TResNet-L and one seed each.',
    columns: [{ title: 'λ', kind: 'text' }, ...columns('Ours'), ...columns('Paper')],
    rows: values
      .sort((a, b) => (a ?? -1) - (b ?? -1))
      .map((value) => {
        const own = points.find((point) => point.value === value)?.metrics.validation;
        return [
          value === null ? `none (${base})` : String(value),
          ...ablationMetrics.map((metric) => spreadCell(own?.[metric] ?? null)),
          ...publishedCells(published.get(value) ?? nothingPublished),
        ];
      }),
  };
}

const nothingPublished: PublishedMetrics = [null, null, null, null];

function pointOf(value: number | null, mean: number | null | undefined) {
  return mean === null || mean === undefined ? [] : [{ value, mean }];
}

function ownRow({ network, label, metrics: of }: Group, metrics: readonly PaperMetric[]): Cell[] {
  return [
    'ours',
    network,
    label,
    ...metrics.map((metric) => spreadCell(of.validation[metric])),
    ...metrics.map((metric) => spreadCell(of.test?.[metric] ?? null)),
  ];
}

function publishedRow({ network, loss, validation, test }: PaperRow): Cell[] {
  return ['paper', network, loss, ...publishedCells(validation), ...publishedCells(test)];
}

function publishedCells(metrics: PublishedMetrics): Cell[] {
  return metrics.map((value): Cell => (value === null ? null : { value: value / 100, emphasis: 'faint' }));
}
