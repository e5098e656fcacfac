// Writes a run's report.html from the contents of its folder: every number can be recomputed from the saved
// scores. `run/` has its parts, in the order of the questions that they answer.
//
// The other reports: `evaluationReport` for the page of `evaluate`, `experiment/` for that of `report`,
// `sweepCharts` for the file of `sweep`. Charts come from the kit; `pages/` has the shell and tables.

import { basename, resolve } from 'node:path';
import { type Dataset, instanceWord } from '../data/dataset/dataset.js';
import { counted } from '../errors/counted.js';
import { writeWhole } from '../files/wholeFile.js';
import { chartRow } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import { writeExamples } from '../runs/examples.js';
import { readEpochs } from '../runs/metricsLog.js';
import { openRun } from '../runs/runFolder.js';
import { fittingSplit, runScores } from '../runs/runScores.js';
import { readSummary } from '../runs/summary.js';
import { chosenEpoch } from './judgmentText.js';
import { answers } from './run/answers.js';
import { calibrationPanel, trainingPanels } from './run/curves.js';
import { detailsSection, repeatSection } from './run/details.js';
import { exampleImages } from './run/exampleImages.js';
import { firstLooks, imageSection, reportImages } from './run/imageCards.js';
import { decisionInUse, type JudgedMaterial } from './run/material.js';
import { previousRun } from './run/previousRun.js';
import { scoreCharts } from './scoreCharts.js';

/**
 * Writes the report of a finished run and returns its path. With the dataset, it also shows the images of
 * mistakes and finds, and keeps a few of them as examples.
 *
 * @example
 * await writeRunReport('runs/sewer', await openDataset('sewerml=data/sewer')) // 'runs/sewer/report.html'
 */
export async function writeRunReport(folder: string, dataset?: Dataset): Promise<string> {
  const { paths, record } = openRun(folder);
  const summary = readSummary(paths);
  const judged = summary.test ?? summary.validation;
  const scored = await runScores(folder, summary.test ? 'test' : 'validation');
  const { names } = scored;
  const material: JudgedMaterial = {
    judged,
    scored,
    names,
    ...(summary.test && { fitted: await runScores(folder, fittingSplit(paths)) }),
    previous: previousRun(folder, record),
    instance: dataset ? instanceWord(dataset) : 'image',
  };
  const inUse = decisionInUse(material);
  const images =
    dataset && !dataset.features
      ? await reportImages(material, inUse, dataset, folder)
      : { groups: [], heatRemark: '' };
  const budget = judged.decided?.budget;
  const html = page({
    kind: 'runs',
    name: basename(resolve(folder)),
    about: `${summary.dataset}, ${counted(summary.classes.length, 'class')} · ${summary.network}, ${summary.loss} · epoch ${chosenEpoch(summary)} · ${record.started.slice(0, 10)}`,
    head: [answers(material, inUse, firstLooks(images.groups))],
    sections: [
      ...(images.groups.some(({ cards }) => cards.length > 0) ? [imageSection(images, inUse)] : []),
      {
        name: 'training',
        title: 'Training and calibration',
        link: 'Training',
        parts: [
          `<div class="columns three">${[...trainingPanels(readEpochs(paths.metrics), summary.bestEpoch, summary.bestBy), calibrationPanel(scored, judged.split)].join('')}</div>`,
        ],
      },
      detailsSection(judged, record, summary, chartRow(scoreCharts(scored)), dataset),
      repeatSection(
        folder,
        budget && 'falseAlarms' in budget ? budget.falseAlarms : undefined,
        material.instance,
      ),
    ],
  });
  if (dataset && images.groups.length > 0)
    writeExamples(folder, await exampleImages(images.groups, material, inUse, dataset));
  // The last file: a run that has it is finished, and is not completed when it is resumed.
  writeWhole(paths.report, html);
  return paths.report;
}
