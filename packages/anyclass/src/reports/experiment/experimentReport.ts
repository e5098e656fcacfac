// A page about several runs: everything in it comes from their folders, and nothing in it needs libtorch.
//
// `material` defines its input and its parts; each section has a file; `items` turns sections into HTML and
// files; `paper` and `paperTables` add the published results.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chartFile } from '@anyclass/kit';
import type { PaperDataset } from '../../configuration/recipes.js';
import { counted } from '../../errors/counted.js';
import { type ComparisonOptions, compareRuns } from '../../experiments/comparison.js';
import type { Comparison } from '../../experiments/comparisonResult.js';
import { comparisonTables, fileName } from '../../experiments/comparisonTables.js';
import type { Run } from '../../experiments/readRuns.js';
import { writeWhole } from '../../files/wholeFile.js';
import { page } from '../../pages/page.js';
import { tableFiles } from '../../tables/index.js';
import { tradeOffChart } from '../tradeOffChart.js';
import { comparisonAnswers } from './answers.js';
import { classSection } from './classSection.js';
import { configurationSection } from './configurationSection.js';
import { datasetSection } from './datasetSection.js';
import { assets, belonging, itemHtml } from './items.js';
import { learningSection } from './learningSection.js';
import { type Item, type Material, materialOf, type ReportSection } from './material.js';
import { type PaperChoice, paperDataset, paperItems } from './paper.js';
import { scoreSection } from './scoreSection.js';
import { sweepSection } from './sweepSection.js';

export interface ExperimentReportOptions extends ComparisonOptions {
  readonly title: string;
  /**
   * Adds the paper's published results. `auto` recognizes the paper's datasets by their name or the classes
   * that were kept; the name of a dataset applies to those that are not recognized.
   */
  readonly paper?: PaperChoice;
  /** A comparison of exactly these runs, in their order; otherwise it is made here. */
  readonly comparison?: Comparison;
  /** What a sweep found, for the head of the page. */
  readonly answer?: string | undefined;
}

export interface ExperimentReport {
  readonly title: string;
  readonly answer?: string | undefined;
  readonly comparison: Comparison;
  readonly sections: readonly ReportSection[];
}

/**
 * Creates the report of finished runs, before it is rendered as a page.
 *
 * @example
 * const report = await experimentReport(readRuns(['comparisons/coco']), { title: 'COCO-41' });
 * writeFileSync('report.html', reportPage(report));
 * writeAssets('report-files', report);
 */
export async function experimentReport(
  given: readonly Run[],
  { title, paper, comparison: made, answer, ...options }: ExperimentReportOptions,
): Promise<ExperimentReport> {
  const runs = made ? given : inTableOrder(given);
  const comparison = made ?? (await compareRuns(runs, options));
  const materials = materialOf(runs, comparison);
  const tables = comparisonTables(comparison);
  const results: ReportSection = {
    name: 'results',
    title: 'Results',
    items: [
      ...tradeOffItems(comparison, materials.length > 1),
      ...tables.map((table): Item => ({ kind: 'table', table })),
      ...materials.flatMap((material) => {
        const published = paperDataset(material.dataset, paper);
        return published ? paperItems(material, published) : [];
      }),
    ],
  };
  const ofDatasets = await Promise.all(
    materials.map((material) => datasetSections(material, paperDataset(material.dataset, paper))),
  );
  const several = materials.length > 1;
  return {
    title,
    answer,
    comparison,
    sections: [
      results,
      ...ofDatasets.flatMap((list, i) =>
        several ? list.map((section, at) => belonging(section, materials[i]!, i, at === 0)) : list,
      ),
      configurationSection(runs),
    ],
  };
}

/** Returns the report as one HTML file. */
export function reportPage({ title, answer, comparison, sections: list }: ExperimentReport): string {
  const runs = comparison.groups.reduce((sum, { seeds }) => sum + seeds.length, 0);
  return page({
    kind: answer === undefined ? 'comparisons' : 'sweeps',
    name: title,
    about: `${counted(runs, 'run')}, recomputed from their saved scores`,
    head: [comparisonAnswers(comparison, answer)],
    sections: list.map(({ name, title: heading, link, items }) => ({
      name,
      title: heading,
      ...(link !== undefined && { link }),
      parts: items.map(itemHtml),
    })),
  });
}

/**
 * Writes every table as CSV, Markdown and LaTeX and every chart as SVG, and returns the names of the files.
 *
 * @example
 * writeAssets('charts', report) // ['results.csv', 'results.md', 'results.tex', 'learning-mAP.svg', …]
 */
export function writeAssets(folder: string, report: ExperimentReport): string[] {
  mkdirSync(folder, { recursive: true });
  const files = report.sections
    .flatMap(({ items }) => assets(items))
    .flatMap((asset): [string, string][] =>
      'svg' in asset ? [[`${asset.name}.svg`, chartFile(asset.svg, 520)]] : tableFiles(asset),
    );
  for (const [name, text] of files) writeWhole(join(folder, name), text);
  return files.map(([name]) => name);
}

/** Returns the trade-off chart of each dataset; nothing if no test split has labels. */
function tradeOffItems({ groups }: Comparison, several: boolean): Item[] {
  const datasets = [...new Set(groups.map(({ dataset }) => dataset))];
  const charts = datasets.flatMap((dataset) => {
    const own = groups.filter((group) => group.dataset === dataset);
    const chart = tradeOffChart(dataset, own);
    if (!chart) return [];
    return [several ? { ...chart, name: `trade-off-${fileName(dataset)}` } : chart];
  });
  if (charts.length === 0) return [];
  return [
    ...charts.map((chart): Item => ({ kind: 'charts', charts: [chart], areFilesOnly: !several })),
    ...(several ? [explanation] : []),
  ];
}

const explanation: Item = {
  kind: 'note',
  text: 'Each point is a decision fitted on the validation split for a budget of 0.5% to 20% false alarms and evaluated on the test split. At any budget, the higher line is the better loss. Lines are means over seeds; bands are ± one standard deviation, or the range with two seeds.',
};

/**
 * Sorts runs as in the paper's tables: each standard loss before its any-class loss, in ascending order of λ.
 */
function inTableOrder(runs: readonly Run[]): Run[] {
  const order = ['bce', 'any-bce', 'focal', 'any-focal'];
  return runs.toSorted((a, b) => order.indexOf(a.loss) - order.indexOf(b.loss) || a.lambda - b.lambda);
}

async function datasetSections(
  material: Material,
  paper: PaperDataset | undefined,
): Promise<ReportSection[]> {
  const found = [
    sweepSection(material, paper),
    learningSection(material),
    await classSection(material),
    await scoreSection(material),
    await datasetSection(material),
  ];
  return found.filter(({ items }) => items.length > 0);
}
