import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { nextLine } from '../commandLine/shellLine.js';
import { defined, preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { chooseSubset, closeDataset, type Dataset } from '../data/index.js';
import { openPrepared } from '../data/openPrepared.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { checkAddressSpace, decodingSpace } from '../inference/memory.js';
import { inspectDataset } from '../inspect/inspectDataset.js';
import { inspectText } from '../inspect/inspectText.js';
import type { NamedTable } from '../runs/namedTable.js';
import { openRun } from '../runs/runFolder.js';
import { readTable } from '../runs/scoreFiles.js';
import { chosenData, datasetFields, datasetInputs, force } from './datasetOptions.js';

export const inspect = command({
  name: 'inspect',
  summary: 'Show what is in a dataset, and what is wrong with it',
  positionals: [{ field: 'dataset', placeholder: 'DATASET' }],
  examples: [
    ['anyclass inspect digits --limit 500', 'the embedded scenes of digits; reads 500 images'],
    ['anyclass inspect chestxray14=data/chest --html chest.html', 'a page with charts and sample images'],
    [
      'anyclass inspect pipes.csv --run runs/pipes --html pipes.html',
      'also find labels that the model contradicts',
    ],
    ['anyclass inspect labels.csv --image-folder photos --no-images', 'only the table'],
    [
      `anyclass inspect labels.csv --set 'data.columns.ignore=["weather"]' --set data.draw.seed=7`,
      'as training would read it with these fields',
    ],
  ],
  options: z.object({
    ...datasetFields,
    noImages: z.boolean().default(false).describe('read only the tables'),
    limit: z.number().int().min(1).optional().describe('read N images, evenly spaced; default all'),
    size: z
      .number()
      .int()
      .min(8)
      .default(224)
      .describe('input size in pixels, for channel statistics and for what is left of objects'),
    run: z
      .string()
      .optional()
      .describe(
        'a finished run on this data: find labels that its scores, and its margins in training, contradict',
      )
      .meta({ placeholder: 'RUN' }),
    beta: z.number().min(0).lt(1).default(0.9999).describe('β of the class-balancing weights'),
    html: z
      .string()
      .optional()
      .describe('also write a page with charts and sample images')
      .meta({ placeholder: 'FILE' }),
    force,
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    const data = chosenData(options);
    if (options.html !== undefined) {
      const inputs = [...datasetInputs(data.dataset), data.imageFolder, data.splitFolder, data.corrections];
      checkOutputFile('--html', options.html, { kind: 'an HTML page', inputs, force: options.force });
    }
    if (!options.noImages) checkAddressSpace(decodingSpace);
    const whole = await openPrepared(data.dataset, { ...preparedOptions(data), onNote: terminal.note });
    try {
      const dataset = withSubset(whole, data.subset);
      const { noImages, limit, size, beta, html, json } = options;
      const inspection = await inspectDataset(dataset, {
        ...(options.run !== undefined && {
          scores: await savedScores(options.run),
          margins: await savedMargins(options.run),
        }),
        images: !noImages,
        size: { width: size, height: size },
        beta,
        strict: data.strict,
        ...(limit !== undefined && { limit }),
        onEvent: terminal.onEvent,
      });
      if (html !== undefined) {
        const [{ inspectPage }, { noPictures, pagePictures }] = await Promise.all([
          import('../inspect/inspectPage.js'),
          import('../inspect/pagePictures.js'),
        ]);
        const pictures = noImages ? noPictures : await pagePictures(dataset, inspection);
        writeOutput('--html', html, inspectPage(inspection, pictures, options.dataset));
        terminal.note(`wrote ${html}`);
      }
      terminal.print(json ? JSON.stringify(inspection, null, 2) : inspectText(inspection));
      if (!json) terminal.note(nextLine(['init', options.dataset]));
      return inspection;
    } finally {
      await closeDataset(whole);
    }
  },
});

/** Reads the run's saved scores: those of its validation split, and of its test split if any. */
async function savedScores(run: string): Promise<NamedTable[]> {
  const { paths } = openRun(run);
  const files = ['validation', 'test', 'decision'].map((split) => join(paths.scores, `${split}.csv`));
  const found = files.filter((file) => existsSync(file));
  if (found.length === 0) {
    throw new UserError(`${run}: no saved scores because the run is not finished; resume it`, {
      next: resumeCommand(run),
    });
  }
  return Promise.all(found.map((file) => readTable(file)));
}

/** Reads the mean logits of the run's training images; undefined if it recorded none. */
async function savedMargins(run: string): Promise<NamedTable | undefined> {
  const { paths } = openRun(run);
  return existsSync(paths.margins) ? readTable(paths.margins) : undefined;
}

/** Returns the dataset with only the training images that a run would use. */
function withSubset(dataset: Dataset, subset: Configuration['data']['subset']): Dataset {
  if (!subset) return dataset;
  const train = chooseSubset(dataset.splits.train, dataset.labels, defined(subset));
  return { ...dataset, splits: { ...dataset.splits, train } };
}
