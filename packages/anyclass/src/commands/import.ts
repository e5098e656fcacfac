import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { UsageError } from '../errors/usageError.js';
import { makeFolderOf } from '../files/outputs.js';
import { networkNames } from '../networks/catalogue.js';
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
  ],
  options: z.object({
    checkpoint: z.string().describe('a .pt, .pth, .ckpt or .safetensors file'),
    network: z.enum(networkNames).describe('network of the weights').meta({ placeholder: 'NAME' }),
    classes: z
      .string()
      .describe('classes in the order of the last layer: a file with one per line, or comma-separated names')
      .meta({ placeholder: 'FILE|a,b,c' }),
    out: z.string().describe('the model to write').meta({ placeholder: 'MODEL.safetensors' }),
    inputSize: z.int().positive().default(224).describe('height and width of the images in pixels'),
    channels: z.enum(['1', '3']).default('3').describe('1: gray; 3: RGB'),
    mean: z
      .string()
      .optional()
      .describe('mean of each channel, for pixels from 0 to 1; default ImageNet’s')
      .meta({ placeholder: 'N,…' }),
    std: z.string().optional().describe('standard deviation of each channel').meta({ placeholder: 'N,…' }),
    json: z.boolean().default(false).describe('print what was loaded as JSON'),
  }),
  async run({ checkpoint, network, classes, out, inputSize, channels, mean, std, json }, terminal) {
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
    });
    terminal.print(json ? JSON.stringify(report, null, 2) : `${weightReportText(report)}\nwrote ${out}`);
    return report;
  },
});

function numbers(text: string | undefined, option: string): number[] | undefined {
  return text?.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part);
    if (!Number.isFinite(value)) throw new UsageError(`'${part}' is not a number`, option);
    return value;
  });
}
