// Writes a run's report.html from the contents of its folder: every number can be recomputed from the saved
// scores.
//
// The other reports: `evaluationReport` for the page of `evaluate`, `experiment/` for that of `report`,
// `sweepCharts` for the file of `sweep`. They draw with `charts/`, and put charts and tables into the
// blocks of `pages/`.

import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import type { Dataset } from '../data/dataset/dataset.js';
import { counted } from '../errors/counted.js';
import type { Judgment } from '../events/judgment.js';
import { judgmentVerdict } from '../experiments/verdict.js';
import { writeWhole } from '../files/wholeFile.js';
import { chartRow, tableBlock, verdictBlock } from '../pages/blocks.js';
import { note, page, type Section, sections } from '../pages/page.js';
import { readEpochs } from '../runs/metricsLog.js';
import { openRun } from '../runs/runFolder.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { readSummary } from '../runs/summary.js';
import { escaped } from '../tables/escaped.js';
import { chosenEpoch } from './judgmentText.js';
import { classTable, metricTable } from './metricTables.js';
import { confidentMistakes, type MistakeKind, mistakeGallery } from './mistakes.js';
import { scoreCharts } from './scoreCharts.js';
import { trainingCharts } from './trainingCharts.js';
import { unreadableSection } from './unreadableImages.js';

/**
 * Writes the report of a finished run and returns its path. With the dataset, it also shows the images of the
 * most confident mistakes.
 *
 * @example
 * await writeRunReport('runs/sewer', await openDataset('sewerml=data/sewer')) // 'runs/sewer/report.html'
 */
export async function writeRunReport(folder: string, dataset?: Dataset): Promise<string> {
  const { paths, record } = openRun(folder);
  const summary = readSummary(paths);
  const judged = summary.test ?? summary.validation;
  const { scored, names } = await savedScores(paths.scores, judged.split);
  const { network, loss } = summary;
  const list: Section[] = [
    ...judgmentSections(judged),
    { name: 'training', title: 'Training', parts: [chartRow(trainingCharts(readEpochs(paths.metrics)))] },
    {
      name: 'scores',
      title: `Scores on ${judged.split}`,
      parts: [chartRow(scoreCharts(scored, judged.calibrated?.calibration))],
    },
    ...(dataset ? [await mistakeSection(scored, names, dataset)] : []),
    ...unreadableSection(summary.quarantined),
    {
      name: 'configuration',
      title: 'Configuration',
      parts: [
        `<details><summary>config.json</summary><pre>${escaped(JSON.stringify(record, null, 2))}</pre></details>`,
      ],
    },
  ];
  const about = `${network}, ${loss}, ${summary.dataset}, ${counted(summary.classes.length, 'class')}; epoch ${chosenEpoch(summary)}; started ${record.started.slice(0, 16).replace('T', ' ')} UTC`;
  writeWhole(
    paths.report,
    page(folder, [verdictBlock(judgmentVerdict(judged)), note(about), ...sections(list)]),
  );
  return paths.report;
}

/** Returns the tables of a judgment, for this page and for that of `evaluate`. */
export function judgmentSections(judgment: Judgment): Section[] {
  const { split } = judgment;
  return [
    {
      name: 'results',
      title: split === '' ? 'Results' : `Results on ${split}`,
      parts: [tableBlock({ name: 'results', table: metricTable(judgment) })],
    },
    {
      name: 'classes',
      title: 'Classes',
      parts: [tableBlock({ name: 'classes', table: classTable(judgment) })],
    },
  ];
}

async function savedScores(
  folder: string,
  split: string,
): Promise<{ readonly scored: Scored; readonly names: readonly string[] }> {
  const labels = await readTable(join(folder, `${split}-labels.csv`));
  const scored = joinTables(await readTable(join(folder, `${split}.csv`)), labels, split);
  return { scored, names: labels.names };
}

const mistakeTitles: Readonly<Record<MistakeKind, string>> = {
  'seen in a negative': 'False alarms on negatives',
  'seen beside others': 'Wrong classes on positives',
  missed: 'Missed classes',
};

async function mistakeSection(scored: Scored, names: readonly string[], dataset: Dataset): Promise<Section> {
  const mistakes = confidentMistakes(scored, 14);
  const wanted = new Set(Object.values(mistakes).flatMap((list) => list.map(({ row }) => names[row]!)));
  const rowOf = new Map<string, number>();
  for (let row = 0; row < dataset.names.length; row++) {
    const name = dataset.names.at(row);
    if (wanted.has(name)) rowOf.set(name, row);
  }
  const parts = [note('At a threshold of 0.5, most confident first.')];
  for (const kind of ['seen in a negative', 'seen beside others', 'missed'] as const) {
    if (mistakes[kind].length === 0) continue;
    parts.push(`<h3>${mistakeTitles[kind]}</h3>`);
    parts.push(await mistakeGallery(mistakes[kind], dataset, (row) => rowOf.get(names[row]!)));
  }
  return { name: 'mistakes', title: 'Most confident mistakes', parts };
}
