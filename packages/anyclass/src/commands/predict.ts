import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { z } from 'zod';
import { command, UsageError, UserError } from '../commandLine/command.js';
import { imageInputs } from '../prediction/imageInputs.js';
import { outputFormats, outputOf } from '../prediction/outputFormats.js';
import { lazyEngine } from '../training/lazyEngine.js';

/** Some images could not be read; the others were predicted. */
const someFailed = 3;

export const predict = command({
  name: 'predict',
  summary: 'Predict the classes of images',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'paths', placeholder: 'PATH…', rest: true },
  ],
  examples: [
    ['anyclass predict runs/sewer photos > predictions.csv', 'all images in a folder and below it'],
    ['anyclass predict model.safetensors a.jpg b.png --format jsonl', 'an object a line'],
    ["find . -name '*.jpg' | anyclass predict runs/sewer -", 'a list of paths'],
    ['anyclass predict runs/sewer data/test --format sewerml --out submission.csv', 'for the benchmark'],
  ],
  options: z.object({
    model: z.string().describe('a run, or a model.safetensors'),
    paths: z
      .array(z.string())
      .min(1)
      .describe('images, folders, patterns, Parquet files, - for a list on standard input'),
    format: z.enum(outputFormats).default('csv').describe('of the output'),
    out: z.string().optional().describe('write there; default standard output').meta({ placeholder: 'FILE' }),
    threshold: z
      .string()
      .default('fitted')
      .describe('a number for all classes, or those that training fitted')
      .meta({ placeholder: 'fitted|N' }),
    calibrated: z.boolean().default(false).describe('calibrated probabilities'),
    device: z.string().default('auto').describe('where to compute').meta({ placeholder: 'cpu|cuda' }),
    batchSize: z.int().positive().default(32).describe('images at a time'),
    json: z.boolean().default(false).describe('the same as --format jsonl'),
  }),
  async run({ model, paths, format, out, threshold, calibrated, device, batchSize, json }, terminal) {
    const limit = threshold === 'fitted' ? threshold : Number(threshold);
    if (Number.isNaN(limit))
      throw new UsageError(`--threshold: '${threshold}' is neither a number nor 'fitted'`);
    const { openPredictor } = await lazyEngine.prediction();
    using predictor = openPredictor(model, { threshold: limit, calibrated, device, batchSize });
    const { header, line } = outputOf(json ? 'jsonl' : format, predictor.description.classes);
    const target = out === undefined ? process.stdout : createWriteStream(out);
    if (out === undefined) process.stdout.once('error', endQuietly);
    const write = async (text: string) => {
      if (!target.write(`${text}\n`)) await once(target, 'drain');
    };
    const failed: string[] = [];
    let count = 0;
    if (header !== undefined) await write(header);
    for await (const prediction of predictor.predict(imageInputs(paths))) {
      if ('failure' in prediction) failed.push(`${prediction.name}: ${prediction.failure}`);
      else await write(line(prediction));
      count++;
    }
    if (out !== undefined) await new Promise<void>((resolve) => target.end(resolve));
    if (count === 0) throw new UserError(`no image in ${paths.join(', ')}`);
    if (failed.length > 0) {
      throw new UserError(
        [`${failed.length} of ${count} images could not be read:`, ...failed.map((text) => `  ${text}`)].join(
          '\n',
        ),
        someFailed,
      );
    }
    terminal.note(`${count} images`);
    return count;
  },
});

/** Whoever read the output, such as `head`, has enough. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
