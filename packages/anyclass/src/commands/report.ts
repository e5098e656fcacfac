import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UserError } from '../errors/userError.js';
import { type Run, readRuns, unfinishedRuns } from '../experiments/readRuns.js';
import { withoutTwins } from '../experiments/seedGroups.js';
import { checkOutputFile, checkOutputFolder, writeOutput } from '../files/outputs.js';
import { type PaperChoice, paperDataset } from '../reports/experiment/paper.js';
import { paperDatasets } from '../reports/experiment/paperTables.js';

export const report = command({
  name: 'report',
  summary: 'Show finished runs side by side on a page, with tables and figures to take elsewhere',
  positionals: [{ field: 'runs', placeholder: 'RUN…', rest: true }],
  examples: [
    ['anyclass report runs/bce runs/any-bce', 'two runs; writes report.html'],
    [
      'anyclass report comparisons/coco --out coco.html --assets figures',
      'all runs of a comparison or a sweep',
    ],
    ['anyclass report comparisons/coco --paper', "with the paper's published figures of the same data"],
    [
      'anyclass report comparisons/nih --paper chestxray14',
      'the same, where the name of the data does not tell',
    ],
  ],
  options: z.object({
    runs: z.array(z.string()).min(1).describe('folders of finished runs, or of several such folders'),
    out: z.string().default('report.html').describe('the page').meta({ placeholder: 'FILE' }),
    assets: z
      .string()
      .optional()
      .describe('also write tables as CSV, Markdown and LaTeX, and figures as SVG, there')
      .meta({ placeholder: 'DIR' }),
    title: z.string().optional().describe("of the page; default the first folder's name"),
    paper: z
      .enum(['auto', ...paperDatasets])
      .optional()
      .describe(
        `add the paper's published figures; NAME where that of the data does not tell: ${paperDatasets.join(', ')}`,
      )
      .meta({ placeholder: '[NAME]', bare: 'auto' }),
    replicates: z.int().min(0).default(1000).describe('of the bootstrap; 0 leaves differences out'),
    confidence: z.number().gt(0).lt(1).default(0.95).describe('of the intervals'),
    thresholdBeta: z.number().positive().default(1).describe('fitted thresholds maximize this Fβ'),
    json: z.boolean().default(false).describe('print JSON: the files and the comparison'),
  }),
  async run(options, terminal) {
    const { runs: folders, out, assets, paper, json, replicates, confidence, thresholdBeta } = options;
    for (const folder of folders) checkFolder(folder, paper);
    checkOutputFile('--out', out);
    if (assets !== undefined) checkOutputFolder('--assets', assets);
    const { runs, twins } = withoutTwins(readRuns(folders));
    for (const folder of unfinishedRuns(folders)) terminal.note(`${folder} is left out: it is not finished`);
    for (const { left, kept } of twins)
      terminal.note(`${left.folder} is left out: ${kept.folder} has the same configuration and seed`);
    // ECharts is needed only now: bad folders are told at once.
    const { experimentReport, reportPage, writeAssets } = await import(
      '../reports/experiment/experimentReport.js'
    );
    if (paper !== undefined) tellNotInPaper(runs, paper, terminal);
    const title = options.title ?? basename(resolve(folders[0]!));
    const made = await experimentReport(runs, {
      title,
      ...(paper && { paper }),
      replicates,
      confidence,
      thresholdBeta,
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

/** A word behind a bare `--paper` that is none of its names was taken for a folder. */
function checkFolder(path: string, paper: PaperChoice | undefined): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new UserError(`${path} is a file: name the folder of a run, or of several`);
  const hint = paper === 'auto' ? `; --paper takes ${paperDatasets.join(', ')}` : '';
  throw new UserError(`${path}: there is no such folder${hint}`);
}

function tellNotInPaper(runs: readonly Run[], paper: PaperChoice, terminal: Terminal): void {
  for (const name of new Set(runs.map(({ dataset }) => dataset))) {
    if (paperDataset(name, paper) !== undefined) continue;
    terminal.note(
      `${name}: does not tell whether the paper has figures of it; where it does, name its data: --paper ${paperDatasets.join('|')}`,
    );
  }
}

function summary(runs: number, out: string, assets: string | undefined, files: number): string {
  const rest = assets === undefined ? '' : `\n${files} files in ${assets}`;
  return `${runs} ${runs === 1 ? 'run' : 'runs'} in ${out}${rest}`;
}
