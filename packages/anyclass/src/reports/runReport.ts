// report.html of a run, from what its folder holds: every figure can be recomputed from the scores beside it.

import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import type { Dataset } from '../data/dataset.js';
import type { Judgement } from '../evaluation/judge.js';
import { escaped } from '../pages/escaped.js';
import { page } from '../pages/page.js';
import { type EpochRecord, readEpochs } from '../runFolder/metricsLog.js';
import { openRun } from '../runFolder/runFolder.js';
import { joinTables, readTable } from '../runFolder/scoreFiles.js';
import type { RunSummary } from '../runFolder/summary.js';
import { readJson, writeWhole } from '../runFolder/wholeFile.js';
import { lineChart } from './chart.js';
import { classTable, figureTable } from './figureTables.js';
import { confidentMistakes, type MistakeKind, mistakeGallery } from './mistakes.js';
import { scoreCharts } from './scoreCharts.js';

/**
 * Writes the report of a finished run; with the dataset also the images of the most confident mistakes.
 *
 * @example
 * await writeRunReport('runs/sewer', await openDataset('sewerml=data/sewer')) // 'runs/sewer/report.html'
 */
export async function writeRunReport(folder: string, dataset?: Dataset): Promise<string> {
  const { paths, record } = openRun(folder);
  const summary = readJson<RunSummary>(paths.summary);
  const judged = summary.test ?? summary.validation;
  const { scored, names } = await savedScores(paths.scores, judged.split);
  const { network, loss, epochs, bestEpoch, bestBy } = summary;
  const parts = [
    `<h1>${escaped(folder)}</h1>`,
    `<p class="note">${escaped(`${network}, ${loss}, ${summary.dataset}, ${summary.classes.length} classes; ${epochs} epochs, the best by ${bestBy}: ${bestEpoch}; begun ${record.started}`)}</p>`,
    ...judgementParts(judged),
    '<h2>Training</h2>',
    trainingCharts(readEpochs(paths.metrics)),
    `<h2>Scores on ${escaped(judged.split)}</h2>`,
    scoreCharts(scored, judged.calibrated?.calibration),
    ...(dataset ? await mistakeParts(scored, names, dataset) : []),
    '<h2>Configuration</h2>',
    `<details><summary>config.json</summary><pre>${escaped(JSON.stringify(record, null, 2))}</pre></details>`,
  ];
  writeWhole(paths.report, page(folder, parts));
  return paths.report;
}

/** The tables of a judgement, for this page and for that of `evaluate`. */
export function judgementParts(judgement: Judgement): string[] {
  return [
    `<h2>Results on ${escaped(judgement.split)}</h2>`,
    figureTable(judgement),
    '<h2>Classes</h2>',
    classTable(judgement),
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

function trainingCharts(epochs: readonly EpochRecord[]): string {
  const line = (name: string, value: (record: EpochRecord) => number | null) => ({
    name,
    dots: epochs.length < 30,
    points: epochs.map((record): [number, number | null] => [record.epoch, value(record)]),
  });
  const share = (value: number | null) => (value === null ? null : 100 * value);
  const losses = lineChart(
    [
      line('training loss', (record) => record.trainingLoss),
      line('validation loss', (record) => record.validationLoss),
      line('validation BCE', (record) => record.validationBce),
    ],
    { x: 'epoch', y: 'loss' },
  );
  const figures = lineChart(
    [
      line('F1', ({ validation }) => share(validation.macroF1)),
      line('F2', ({ validation }) => share(validation.macroF2)),
      line('mAP', ({ validation }) => share(validation.mAP)),
      line('F1-Neg', ({ validation }) => share(validation.f1Neg)),
    ],
    { x: 'epoch', y: 'validation, %' },
  );
  return `<div class="charts">${losses}${figures}</div>`;
}

const mistakeTitles: Readonly<Record<MistakeKind, string>> = {
  'seen in a negative': 'Negatives in which a class was seen',
  'seen beside others': 'Classes seen beside those that are there',
  missed: 'Classes that were missed',
};

async function mistakeParts(scored: Scored, names: readonly string[], dataset: Dataset): Promise<string[]> {
  const mistakes = confidentMistakes(scored, 14);
  const wanted = new Set(Object.values(mistakes).flatMap((list) => list.map(({ row }) => names[row]!)));
  const rowOf = new Map<string, number>();
  for (let row = 0; row < dataset.names.length; row++) {
    const name = dataset.names.at(row);
    if (wanted.has(name)) rowOf.set(name, row);
  }
  const parts = ['<h2>The most confident mistakes</h2>', '<p class="note">At 0.5, the surest first.</p>'];
  for (const kind of ['seen in a negative', 'seen beside others', 'missed'] as const) {
    if (mistakes[kind].length === 0) continue;
    parts.push(`<h3>${mistakeTitles[kind]}</h3>`);
    parts.push(await mistakeGallery(mistakes[kind], dataset, (row) => rowOf.get(names[row]!)));
  }
  return parts;
}
