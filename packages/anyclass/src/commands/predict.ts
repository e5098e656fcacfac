import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { command, UsageError } from '../commandLine/command.js';
import { imageInputs } from '../prediction/imageInputs.js';
import { outputFormats, outputOf } from '../prediction/outputFormats.js';
import { lazyEngine } from '../training/lazyEngine.js';
import { UserError } from '../userError.js';

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
    const limit = threshold === 'fitted' ? threshold : Number(threshold.trim() || Number.NaN);
    if (limit !== 'fitted' && !(limit >= 0 && limit <= 1))
      throw new UsageError(`--threshold: '${threshold}' is neither a number from 0 to 1 nor 'fitted'`);
    const { openPredictor } = await lazyEngine.prediction();
    using predictor = openPredictor(model, { threshold: limit, calibrated, device, batchSize });
    const { header, line } = outputOf(json ? 'jsonl' : format, predictor.description.classes);
    const target = out === undefined ? standardOutput() : await fileOutput(out);
    const failed: string[] = [];
    let count = 0;
    if (header !== undefined) await target.write(header);
    for await (const prediction of predictor.predict(imageInputs(paths))) {
      if ('failure' in prediction) failed.push(`${prediction.name}: ${prediction.failure}`);
      else await target.write(line(prediction));
      count++;
    }
    await target.close();
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

interface Output {
  /** Writes a line. */
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

function standardOutput(): Output {
  // Whoever read the output, such as `head`, has enough.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return {
    async write(text) {
      if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
    },
    async close() {},
  };
}

async function fileOutput(path: string): Promise<Output> {
  const told = (error: Error): never => {
    throw new UserError(`--out ${path} cannot be written: ${error.message}`);
  };
  const file = await open(path, 'w').catch(told);
  return {
    write: async (text) => void (await file.write(`${text}\n`).catch(told)),
    close: () => file.close(),
  };
}
