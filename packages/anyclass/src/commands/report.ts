import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import type { Terminal } from '../commandLine/terminal.js';
import { paperDatasets } from '../configuration/recipes.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { type Run, readRuns, unfinishedRuns } from '../experiments/readRuns.js';
import { withoutTwins } from '../experiments/seedGroups.js';
import { checkOutputFile, checkOutputFolder, writeOutput } from '../files/outputs.js';
import { experimentReport, reportPage, writeAssets } from '../reports/experiment/experimentReport.js';
import { type PaperChoice, paperDataset } from '../reports/experiment/paper.js';
import { force } from './datasetOptions.js';
import { chosenDecision, decisionFields } from './decisionOptions.js';
import { replicatesField } from './trainingOptions.js';

export const report = command({
  name: 'report',
  summary: 'Compare finished runs on one page, with tables and charts to export',
  positionals: [{ field: 'runs', placeholder: 'RUN…', rest: true }],
  examples: [
    ['anyclass report runs/bce runs/any-bce', 'two runs; writes report.html'],
    [
      'anyclass report comparisons/coco --out coco.html --assets charts',
      'all runs of a comparison or a sweep',
    ],
    ['anyclass report comparisons/coco --false-alarms 0.02', 'evaluated at 2% false alarms instead of 5%'],
    ['anyclass report comparisons/coco --paper', "with the paper's published results on the same data"],
    [
      'anyclass report comparisons/nih --paper chestxray14',
      "the same, if the dataset's name does not tell which one it is",
    ],
  ],
  options: z.object({
    runs: z.array(z.string()).min(1).describe('run folders, or folders that contain runs'),
    out: z.string().default('report.html').describe('page to write').meta({ placeholder: 'FILE' }),
    assets: z
      .string()
      .optional()
      .describe('also write tables (CSV, Markdown, LaTeX) and charts (SVG) to this folder')
      .meta({ placeholder: 'DIR' }),
    title: z.string().optional().describe("page title; default the first folder's name"),
    paper: z
      .enum(['auto', ...paperDatasets])
      .optional()
      .describe(
        `add the paper's published results; NAME is needed only if the dataset's own name does not match: ${paperDatasets.join(', ')}`,
      )
      .meta({ placeholder: '[NAME]', bare: 'auto' }),
    replicates: replicatesField,
    intervalConfidence: z.number().gt(0).lt(1).default(0.95).describe('confidence level of the intervals'),
    ...decisionFields,
    force,
    json: z.boolean().default(false).describe('print the verdict, the files and the comparison as JSON'),
  }),
  async run(options, terminal) {
    const { runs: folders, out, assets, paper, json, replicates, intervalConfidence } = options;
    const decision = chosenDecision(options);
    for (const folder of folders) checkFolder(folder, paper);
    checkOutputFile('--out', out, { kind: 'an HTML page', inputs: folders, force: options.force });
    if (assets !== undefined) checkOutputFolder('--assets', assets);
    const { runs, twins } = withoutTwins(readRuns(folders));
    for (const folder of unfinishedRuns(folders)) terminal.note(`skipped ${folder}: the run is not finished`);
    for (const { left, kept } of twins)
      terminal.note(`skipped ${left.folder}: same configuration and seed as ${kept.folder}`);
    if (paper !== undefined) tellNotInPaper(runs, paper, terminal);
    const title = options.title ?? basename(resolve(folders[0]!));
    const made = await experimentReport(runs, {
      title,
      ...(paper && { paper }),
      replicates,
      confidence: intervalConfidence,
      decision,
    });
    for (const note of made.comparison.notes) terminal.note(note);
    writeOutput('--out', out, reportPage(made));
    const files = assets === undefined ? [] : writeAssets(assets, made);
    const { comparison } = made;
    const { verdict } = comparison;
    const result = { verdict, report: out, assets: assets ?? null, files, comparison };
    const written = summary(runs.length, out, assets, files.length);
    terminal.print(json ? JSON.stringify(result, null, 2) : `${verdict}\n\n${written}`);
    return result;
  },
});

/**
 * Throws if a RUN is not a folder. After a bare `--paper`, a misspelled NAME is read as a RUN, so the message
 * lists the names.
 */
function checkFolder(path: string, paper: PaperChoice | undefined): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new UserError(`${path} is a file; name a run folder, or a folder that contains runs`);
  const hint = paper === 'auto' ? `; --paper takes ${paperDatasets.join(', ')}` : '';
  throw new UserError(`${path}: no such folder${hint}`);
}

function tellNotInPaper(runs: readonly Run[], paper: PaperChoice, terminal: Terminal): void {
  for (const name of new Set(runs.map(({ dataset }) => dataset))) {
    if (paperDataset(name, paper) !== undefined) continue;
    terminal.note(
      `${name}: no published results match this name; if the paper has this dataset, add --paper ${paperDatasets.join('|')}`,
    );
  }
}

function summary(runs: number, out: string, assets: string | undefined, files: number): string {
  const rest = assets === undefined ? '' : `\n${counted(files, 'file')} in ${assets}`;
  return `${counted(runs, 'run')} in ${out}${rest}`;
}
