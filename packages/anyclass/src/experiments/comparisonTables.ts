// A comparison as tables in the paper's layout.

import type { PaperFigure } from '@anyclass/core';
import type { Cell, Column, ReportTable, Table } from '../tables/index.js';
import type {
  Comparison,
  FigureDifferences,
  FigureSpreads,
  GroupFigures,
  HeldDifference,
  MethodDifference,
} from './comparison.js';
import { type ConfoundedPair, confoundOf, fieldsText } from './confounds.js';
import { figureTitles, isOfOneSign, type Spread } from './figures.js';

/**
 * For each dataset: the figures on validation and test, those at fitted thresholds and at ones that keep the negatives, and the
 * differences to the standard loss.
 *
 * @example
 * comparisonTables(await compareRuns(runs)).map(({ name }) => name)
 * // ['results', 'fitted', 'kept', 'differences']
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
      { name: `${stem}results`, table: marked(resultTable(dataset, groups)) },
      ...(groups.some(({ fittedTest }) => fittedTest)
        ? [{ name: `${stem}fitted`, table: marked(fittedTable(dataset, groups)) }]
        : []),
      ...(groups.some(({ keptTest }) => keptTest)
        ? [{ name: `${stem}kept`, table: marked(keptTable(dataset, groups)) }]
        : []),
      ...(differences.length > 0
        ? [
            {
              name: `${stem}differences`,
              table: marked(differenceTable(dataset, groups[0]!.figures, differences, comparison)),
            },
          ]
        : []),
    ];
  });
}

/** The table, with what else differs between the losses in it. */
function withCaution(table: Table, confounded: readonly ConfoundedPair[]): Table {
  if (confounded.length === 0) return table;
  const cautions = confounded.map(
    ({ loss, standard, fields }) => `Caution: ${loss} and ${standard} also differ in ${fieldsText(fields)}.`,
  );
  return { ...table, note: [table.note, ...cautions].join(' ') };
}

/** The names of all tables that a comparison on these datasets can have. */
export function possibleTables(datasets: readonly string[]): string[] {
  return datasets.flatMap((dataset) =>
    ['results', 'fitted', 'kept', 'differences'].map((kind) => tableStem(dataset, datasets) + kind),
  );
}

/** What the names of a dataset's tables begin with. */
function tableStem(dataset: string, datasets: readonly string[]): string {
  if (datasets.length === 1) return '';
  return `${dataset.replaceAll(/[()]/g, '').replaceAll(/[^a-zA-Z0-9._-]+/g, '-')}-`;
}

function resultTable(dataset: string, groups: readonly GroupFigures[]): Table {
  const { figures } = groups[0]!;
  const hasTest = groups.some(({ test }) => test);
  const column = (group: string) =>
    figures.map((figure): Column => ({ title: figureTitles[figure], kind: 'percent', group }));
  return {
    title: dataset,
    note: `Percent, at 0.5; ${spreadNote(groups)}.`,
    columns: [...methodColumns(groups), ...column('Validation'), ...(hasTest ? column('Test') : [])],
    rows: groups.map((group) => [
      ...methodCells(group, groups),
      ...figureCells(group, groups, ({ validation }) => validation),
      ...(hasTest ? figureCells(group, groups, ({ test }) => test) : []),
    ]),
  };
}

function fittedTable(dataset: string, groups: readonly GroupFigures[]): Table {
  return {
    title: `${dataset}, test, at thresholds fitted on validation`,
    note: `Percent; each class and run has its own threshold; ${spreadNote(groups)}.`,
    columns: [
      ...methodColumns(groups),
      ...groups[0]!.figures.map((figure): Column => ({ title: figureTitles[figure], kind: 'percent' })),
    ],
    rows: groups.map((group) => [
      ...methodCells(group, groups),
      ...figureCells(group, groups, ({ fittedTest }) => fittedTest),
    ]),
  };
}

function keptTable(dataset: string, groups: readonly GroupFigures[]): Table {
  const kept = groups.filter(({ keptTest }) => keptTest);
  return {
    title: `${dataset}, test, at one threshold that keeps the negatives`,
    note: `Percent; each run has one threshold for all classes, searched in steps of 0.01: on validation the one with the highest F1 of those whose F1-Neg is not below that of the standard loss with the same seed at 0.5; ${spreadNote(kept)}.`,
    columns: [
      ...methodColumns(kept),
      { title: 'thresholds', kind: 'text' },
      ...kept[0]!.figures.map((figure): Column => ({ title: figureTitles[figure], kind: 'percent' })),
    ],
    rows: kept.map((group) => [
      ...methodCells(group, kept),
      (group.keptThresholds ?? []).map((threshold) => threshold.toFixed(2)).join(', '),
      ...figureCells(group, kept, ({ keptTest }) => keptTest),
    ]),
  };
}

function differenceTable(
  dataset: string,
  figures: readonly PaperFigure[],
  differences: readonly MethodDifference[],
  { replicates, confidence, confounded }: Comparison,
): Table {
  const percent = Math.round(100 * confidence);
  const hasNetworks = new Set(differences.map(({ network }) => network)).size > 1;
  const hasConfounds = differences.some((each) => confoundOf(each, confounded) !== undefined);
  const row = (each: MethodDifference, thresholds: string, at: FigureDifferences): Cell[] => [
    ...(hasNetworks ? [each.network] : []),
    `${each.loss} − ${each.standard}`,
    thresholds,
    ...figures.map((figure) => differenceCell(at[figure])),
    heldText(figures, at),
    ...(hasConfounds ? [fieldsText(confoundOf(each, confounded)?.fields ?? [])] : []),
  ];
  return {
    title: `${dataset}, ${differences[0]!.split}: difference to the standard loss`,
    note: `Percentage points with ${percent}% intervals of a paired bootstrap over instances (${replicates} draws; in each, a side's figure is the mean over the seeds that both have). A difference holds where its interval leaves out 0. The interval says nothing of other seeds: an asterisk marks differences that do not have the same sign for every seed.`,
    columns: [
      ...(hasNetworks ? [{ title: 'network', kind: 'text' } as const] : []),
      { title: 'difference', kind: 'text' },
      { title: 'thresholds', kind: 'text' },
      ...figures.map((figure): Column => ({ title: figureTitles[figure], kind: 'difference' })),
      { title: 'what holds', kind: 'text' },
      ...(hasConfounds ? [{ title: 'also differs in', kind: 'text' } as const] : []),
    ],
    rows: differences.flatMap((each) => [
      row(each, '0.5', each.atHalf),
      ...(each.atFitted ? [row(each, 'fitted', each.atFitted)] : []),
      ...(each.atKept ? [row(each, 'kept', each.atKept)] : []),
    ]),
  };
}

function methodColumns(groups: readonly GroupFigures[]): Column[] {
  return [
    ...(hasSeveralNetworks(groups) ? [{ title: 'network', kind: 'text' } as const] : []),
    { title: 'loss', kind: 'text' },
    { title: 'seeds', kind: 'count' },
  ];
}

function methodCells(group: GroupFigures, groups: readonly GroupFigures[]): Cell[] {
  return [...(hasSeveralNetworks(groups) ? [group.network] : []), group.label, group.seeds.length];
}

function hasSeveralNetworks(groups: readonly GroupFigures[]): boolean {
  return new Set(groups.map(({ network }) => network)).size > 1;
}

/** The best of each network stands out. */
function figureCells(
  group: GroupFigures,
  groups: readonly GroupFigures[],
  part: (group: GroupFigures) => FigureSpreads | null,
): Cell[] {
  const rivals = groups.filter(({ network }) => network === group.network);
  return group.figures.map((figure) => {
    const spread = part(group)?.[figure] ?? null;
    const best = Math.max(...rivals.map((rival) => part(rival)?.[figure]?.mean ?? Number.NEGATIVE_INFINITY));
    return spreadCell(spread, rivals.length > 1 && spread?.mean === best);
  });
}

/** With two seeds a standard deviation means little: both ends are shown. */
export function spreadCell(spread: Spread | null, isBest: boolean): Cell {
  if (!spread) return null;
  const { mean, standardDeviation, lowest, highest, values } = spread;
  return {
    value: mean,
    ...(values.length === 2 && { interval: { low: lowest, high: highest } }),
    ...(values.length > 2 && standardDeviation !== null && { spread: standardDeviation }),
    ...(isBest && { emphasis: 'strong' }),
  };
}

function spreadNote(groups: readonly GroupFigures[]): string {
  const counts = groups.map(({ seeds }) => seeds.length);
  const most = Math.max(...counts);
  if (most === 1) return 'one seed';
  if (most === 2) return 'the mean of two seeds, in brackets both';
  return `the mean over seeds ± their standard deviation${counts.includes(2) ? ', of two seeds in brackets both' : ''}`;
}

function differenceCell(difference: HeldDifference | null): Cell {
  if (!difference) return null;
  const { value, low, high, holds } = difference;
  return { value, interval: { low, high }, emphasis: holds === 'unclear' ? 'faint' : 'strong' };
}

/** Such as 'higher: F1, mAP*; lower: F1-Neg'. */
export function heldText(figures: readonly PaperFigure[], differences: FigureDifferences): string {
  const named = (word: HeldDifference['holds']) =>
    figures
      .filter((figure) => differences[figure]?.holds === word)
      .map((figure) => figureTitles[figure] + (isOfOneSign(differences[figure]!) ? '' : '*'));
  const parts = (['higher', 'lower'] as const).flatMap((word) => {
    const names = named(word);
    return names.length > 0 ? [`${word}: ${names.join(', ')}`] : [];
  });
  return parts.length > 0 ? parts.join('; ') : 'nothing';
}
