// A comparison as tables in the paper's layout.

import { type PaperMetric, promiseUnit } from '@anyclass/core';
import type { Cell, Column, ReportTable, Table } from '../tables/index.js';
import type {
  Comparison,
  ConfoundedPair,
  DecidedGroup,
  GroupMetrics,
  HeldDifference,
  MethodDifference,
  MetricDifferences,
  MetricSpreads,
} from './comparisonResult.js';
import { fieldsText } from './confounds.js';
import { decisionPhrase, neverText, promiseText } from './decisionText.js';
import { differenceTable, holdsFirmly } from './differenceTable.js';
import { type DecidedMetric, metricTitles, type OutcomeRate, outcomeRates, type Spread } from './metrics.js';

/**
 * Returns for each dataset the metrics at each run's decision, those at 0.5 as in the paper, and the
 * differences from the standard loss at both.
 *
 * @example
 * comparisonTables(await compareRuns(runs)).map(({ name }) => name)
 * // ['decisions', 'results', 'differences']
 */
export function comparisonTables(comparison: Comparison): ReportTable[] {
  const datasets = [...new Set(comparison.groups.map(({ dataset }) => dataset))];
  return datasets.flatMap((dataset) => {
    const groups = comparison.groups.filter((group) => group.dataset === dataset);
    const differences = comparison.differences.filter((each) => each.dataset === dataset);
    const confounded = comparison.confounded.filter((each) => each.dataset === dataset);
    const stem = tableStem(dataset, datasets);
    const marked = (table: Table) => withCaution(table, confounded);
    return [
      ...(groups.some(({ decided }) => decided)
        ? [{ name: `${stem}decisions`, table: marked(decisionTable(dataset, groups, differences)) }]
        : []),
      { name: `${stem}results`, table: marked(resultTable(dataset, groups, differences)) },
      ...(differences.length > 0
        ? [
            {
              name: `${stem}differences`,
              table: marked(differenceTable(dataset, groups[0]!.metrics, differences, comparison)),
            },
          ]
        : []),
    ];
  });
}

/** Adds a caution about what else differs between the losses. */
function withCaution(table: Table, confounded: readonly ConfoundedPair[]): Table {
  if (confounded.length === 0) return table;
  const cautions = confounded.map(
    ({ loss, standard, fields }) => `Caution: ${loss} and ${standard} also differ in ${fieldsText(fields)}.`,
  );
  return { ...table, note: [table.note, ...cautions].join(' ') };
}

/** The names of all possible tables for these datasets. */
export function possibleTables(datasets: readonly string[]): string[] {
  return datasets.flatMap((dataset) =>
    ['decisions', 'results', 'differences'].map((kind) => tableStem(dataset, datasets) + kind),
  );
}

/** The prefix of a dataset's table names. */
function tableStem(dataset: string, datasets: readonly string[]): string {
  return datasets.length === 1 ? '' : `${fileName(dataset)}-`;
}

/**
 * Turns a dataset's name into part of a file name.
 *
 * @example
 * fileName('coco64 (coco-41)') // 'coco64-coco-41'
 */
export function fileName(dataset: string): string {
  return dataset.replaceAll(/[()]/g, '').replaceAll(/[^a-zA-Z0-9._-]+/g, '-');
}

function resultTable(
  dataset: string,
  groups: readonly GroupMetrics[],
  differences: readonly MethodDifference[],
): Table {
  const { metrics } = groups[0]!;
  const hasTest = groups.some(({ test }) => test);
  const column = (group: string) =>
    metrics.map((metric): Column => ({ title: metricTitles[metric], kind: 'percent', group }));
  return {
    title: `${dataset}, at 0.5`,
    note: `Percent, at 0.5; ${spreadNote(groups)}.${boldNote(differences)}`,
    columns: [...methodColumns(groups), ...column('Validation'), ...(hasTest ? column('Test') : [])],
    rows: groups.map((group) => {
      const own = differenceOf(group, differences);
      const on = (split: 'validation' | 'test') => (own?.split === split ? own.atHalf : undefined);
      return [
        ...methodCells(group, groups),
        ...metricCells(group, group.validation, on('validation')),
        ...(hasTest ? metricCells(group, group.test, on('test')) : []),
      ];
    }),
  };
}

function decisionTable(
  dataset: string,
  groups: readonly GroupMetrics[],
  differences: readonly MethodDifference[],
): Table {
  const { decided } = groups.find((group) => group.decided)!;
  const hasTest = groups.some((group) => group.decided?.test);
  const [f1, f2, mAP, f1Neg] = groups[0]!.metrics;
  const parts = [
    { title: 'Validation', metrics: ['macroF1', 'falseAlarmRate'], part: 'validation' },
    ...(hasTest
      ? [
          {
            title: 'Test',
            metrics: [f1!, f2!, f1Neg!, 'falseAlarmRate', ...promisedRates(decided!), 'presenceAuc', mAP!],
            part: 'test',
          } as const,
        ]
      : []),
  ] as const satisfies readonly {
    title: string;
    metrics: readonly DecidedMetric[];
    part: 'validation' | 'test';
  }[];
  const never = neverText(
    groups.map(({ label, decided: own }) => ({ label, neverPredicted: own?.neverPredicted ?? [] })),
  );
  return {
    title: `${dataset}, ${decisionPhrase(decided!)}`,
    note: `Percent. ${promiseText(decided!, decided!.guarantee, decided!.fittedOn)}. On validation each image is decided by a decision fitted without it (5 folds)${hasTest ? '' : '; the test split has no labels to evaluate on'}. False alarms: the share of negatives with any prediction; ${spreadNote(groups)}.${never}${boldNote(differences)}`,
    columns: [
      ...methodColumns(groups),
      ...parts.flatMap(({ title, metrics }) =>
        metrics.map((metric): Column => ({ title: metricTitles[metric], kind: 'percent', group: title })),
      ),
    ],
    rows: groups.map((group) => {
      const own = differenceOf(group, differences);
      // The ranking does not depend on a decision; rates of outcomes have no differences.
      const differenceAt = (metric: DecidedMetric) =>
        isPaperMetric(metric) ? (metric === 'mAP' ? own?.atHalf : own?.atDecision)?.[metric] : undefined;
      return [
        ...methodCells(group, groups),
        ...parts.flatMap(({ metrics, part }) =>
          metrics.map((metric) =>
            comparedCell(
              group.decided?.[part]?.[metric] ?? null,
              part === own?.split && metric !== 'falseAlarmRate' ? differenceAt(metric) : undefined,
            ),
          ),
        ),
      ];
    }),
  };
}

function isPaperMetric(metric: DecidedMetric): metric is PaperMetric {
  return metric !== 'presenceAuc' && !outcomeRates.some((rate) => rate === metric);
}

/** The rates that promises on groups, and about missed positives, are judged by, if there are such promises. */
function promisedRates({ budget, test }: DecidedGroup): OutcomeRate[] {
  const isPerGroup = promiseUnit(budget) === 'group';
  const byGroup = isPerGroup ? 'groupsAlarmed' : 'negativesAlarmedByGroup';
  const missedByGroup = isPerGroup ? 'groupsMissed' : 'missedRateByGroup';
  const missed = test?.[missedByGroup] ? missedByGroup : 'missedRate';
  return [
    ...(test?.[byGroup] ? ([byGroup] as const) : []),
    ...('missed' in budget && budget.missed !== undefined ? (['reviewRate', missed] as const) : []),
  ];
}

function methodColumns(groups: readonly GroupMetrics[]): Column[] {
  return [
    ...(hasSeveralNetworks(groups) ? [{ title: 'network', kind: 'text' } as const] : []),
    { title: 'loss', kind: 'text' },
    { title: 'seeds', kind: 'count' },
  ];
}

function methodCells(group: GroupMetrics, groups: readonly GroupMetrics[]): Cell[] {
  return [...(hasSeveralNetworks(groups) ? [group.network] : []), group.label, group.seeds.length];
}

function hasSeveralNetworks(groups: readonly GroupMetrics[]): boolean {
  return new Set(groups.map(({ network }) => network)).size > 1;
}

function metricCells(
  { metrics }: GroupMetrics,
  spreads: MetricSpreads | null,
  differences: MetricDifferences | undefined,
): Cell[] {
  return metrics.map((metric) => comparedCell(spreads?.[metric] ?? null, differences?.[metric]));
}

/** The difference of a group from its standard loss; undefined for the standard loss itself. */
function differenceOf(
  { network, label }: GroupMetrics,
  differences: readonly MethodDifference[],
): MethodDifference | undefined {
  return differences.find((each) => each.network === network && each.loss === label);
}

/** A metric of a loss; bold if it is higher than that of its standard loss, and the difference holds for every seed. */
function comparedCell(spread: Spread | null, difference: HeldDifference | null | undefined): Cell {
  const isHigher = difference?.holds === 'higher' && holdsFirmly(difference);
  return spreadCell(spread, isHigher);
}

/** With two seeds a standard deviation means little, so both values are shown. */
export function spreadCell(spread: Spread | null, isBold = false): Cell {
  if (!spread) return null;
  const { mean, standardDeviation, lowest, highest, values } = spread;
  return {
    value: mean,
    ...(values.length === 2 && { interval: { low: lowest, high: highest } }),
    ...(values.length > 2 && standardDeviation !== null && { spread: standardDeviation }),
    ...(isBold && { emphasis: 'strong' }),
  };
}

function boldNote(differences: readonly MethodDifference[]): string {
  return differences.length === 0
    ? ''
    : ' Bold: higher than the standard loss, with an interval that excludes 0 and in every seed.';
}

function spreadNote(groups: readonly GroupMetrics[]): string {
  const counts = groups.map(({ seeds }) => seeds.length);
  const most = Math.max(...counts);
  if (most === 1) return 'one seed';
  if (most === 2) return 'the mean of two seeds, with both in parentheses';
  return `mean ± standard deviation over seeds${counts.includes(2) ? ', for two seeds both in parentheses' : ''}`;
}
