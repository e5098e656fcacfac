import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { nextLine } from '../commandLine/shellLine.js';
import { frameField, windowField } from '../data/dataset/reading/readingFields.js';
import { UsageError } from '../errors/usageError.js';
import { makeFolderOf } from '../files/outputs.js';
import { networkNames } from '../networks/catalog.js';
import { weightReportText } from '../networks/weights/loadWeights.js';
import { readClassList } from '../runs/classList.js';
import { importModel } from '../runs/importModel.js';

export const importCheckpoint = command({
  name: 'import',
  summary: 'Turn a PyTorch or safetensors checkpoint into a model',
  positionals: [{ field: 'checkpoint', placeholder: 'CHECKPOINT' }],
  examples: [
    [
      'anyclass import best.ckpt --network tresnet-l --classes classes.txt --out model.safetensors',
      'then: anyclass evaluate model.safetensors DATASET',
    ],
    [
      'anyclass import chest.pth --network maxvit-s --classes classes.txt --channels 1 --mean 0.506 --std 0.23 --out chest.safetensors',
      'gray images with their own statistics',
    ],
    [
      'anyclass import ct.pth --network resnet-18 --classes classes.txt --window=-160,240 --out ct.safetensors',
      'CT in Hounsfield units; predict, evaluate and serve then apply the same window',
    ],
  ],
  options: z.object({
    checkpoint: z.string().describe('a .pt, .pth, .ckpt or .safetensors file'),
    network: z.enum(networkNames).describe('network that the weights are for').meta({ placeholder: 'NAME' }),
    classes: z
      .string()
      .describe('classes in the order of the last layer: a file with one per line, or comma-separated names')
      .meta({ placeholder: 'FILE|a,b,c' }),
    out: z.string().describe('model file to write').meta({ placeholder: 'MODEL.safetensors' }),
    inputSize: z.int().positive().default(224).describe('height and width of the images in pixels'),
    channels: z.enum(['1', '3']).default('3').describe('1: gray; 3: RGB'),
    mean: z
      .string()
      .optional()
      .describe("mean of each channel, for pixels from 0 to 1; default ImageNet's")
      .meta({ placeholder: 'N,…' }),
    std: z.string().optional().describe('standard deviation of each channel').meta({ placeholder: 'N,…' }),
    window: z
      .string()
      .optional()
      .describe('pixel levels that become black and white in images with more than 8 bits; default auto')
      .meta({ placeholder: 'auto|percentiles|LOW,HIGH' }),
    frame: z
      .string()
      .optional()
      .describe('frame to read from files with several; default first')
      .meta({ placeholder: 'first|middle|last|N' }),
    json: z.boolean().default(false).describe('print what was loaded as JSON'),
  }),
  async run(options, terminal) {
    const { checkpoint, network, classes, out, inputSize, channels, mean, std, json } = options;
    const names = readClassList(classes);
    makeFolderOf('--out', out);
    const report = importModel(checkpoint, {
      network,
      classes: names,
      out,
      inputSize,
      channels: channels === '1' ? 1 : 3,
      mean: numbers(mean, 'mean'),
      std: numbers(std, 'std'),
      window: windowOf(options.window),
      frame: frameOf(options.frame),
    });
    terminal.print(json ? JSON.stringify(report, null, 2) : `${weightReportText(report)}\nwrote ${out}`);
    if (!json) terminal.note(nextLine(['evaluate', out, 'DATASET'], ['predict', out, 'PHOTOS']));
    return report;
  },
});

function windowOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const parsed = windowField.safeParse(text.includes(',') ? numbers(text, 'window') : text);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `expected auto, percentiles, or LOW,HIGH with the lower one first; got '${text}'`,
    'window',
  );
}

function frameOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const parsed = frameField.safeParse(/^\d+$/.test(text) ? Number(text) : text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`expected first, middle, last or a number from 1 up; got '${text}'`, 'frame');
}

function numbers(text: string | undefined, option: string): number[] | undefined {
  return text?.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part);
    if (!Number.isFinite(value)) throw new UsageError(`'${part}' is not a number`, option);
    return value;
  });
}
