import { z } from 'zod';
import { command } from '../commandLine/command.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UsageError } from '../errors/usageError.js';
import { type ExportOnnxOptions, exportOnnx, type OnnxExport } from '../export/onnx/exportOnnx.js';
import { extraOutputs } from '../export/onnx/modelOutputs.js';
import { checkOutputFile, makeFolderOf } from '../files/outputs.js';

const options = z.object({
  model: z.string().describe('a run, or a model.safetensors'),
  format: z.enum(['onnx']).default('onnx').describe('onnx: one file for onnxruntime and the like'),
  out: z.string().describe('the file to write').meta({ placeholder: 'FILE' }),
  outputs: z
    .string()
    .optional()
    .describe('onnx: also these outputs; cam: a heat map for each class, of networks with a linear head')
    .meta({ placeholder: 'embedding,cam' }),
  json: z.boolean().default(false).describe('print what was exported as JSON'),
});

type Options = z.output<typeof options>;

/** A format of `--format`: what it takes beside the model and the place, and how it is written. */
interface ExportFormat {
  readonly takes: readonly (keyof Options)[];
  run(options: Options, terminal: Terminal): Promise<unknown>;
}

const formats: Readonly<Record<Options['format'], ExportFormat>> = {
  onnx: { takes: ['outputs'], run: exportToOnnx },
};

/** Those of every format. */
const shared: readonly string[] = ['model', 'format', 'out', 'json'];

export const exportModel = command({
  name: 'export',
  summary: 'Write a model for other programs: ONNX',
  positionals: [{ field: 'model', placeholder: 'RUN|MODEL' }],
  examples: [
    ['anyclass export runs/sewer --out sewer.onnx', 'then: anyclass predict sewer.onnx photos'],
    ['anyclass export runs/sewer --out sewer.onnx --outputs cam', 'with a heat map for each class'],
  ],
  options,
  async run(given, terminal) {
    const { takes, run } = formats[given.format];
    const idle = Object.entries(given).find(
      ([name, value]) =>
        value !== undefined && !shared.includes(name) && !takes.some((option) => option === name),
    );
    if (idle) throw new UsageError(`has no effect on the format ${given.format}`, idle[0]);
    return run(given, terminal);
  },
});

async function exportToOnnx({ model, out, outputs, json }: Options, terminal: Terminal): Promise<OnnxExport> {
  checkOutputFile('--out', out);
  const chosen: ExportOnnxOptions = { out, outputs: listedOutputs(outputs) };
  makeFolderOf('--out', out);
  const exported = await exportOnnx(model, chosen);
  if (exported.unchecked !== undefined)
    terminal.note(`The file was not run and compared with libtorch: ${exported.unchecked}`);
  terminal.print(json ? JSON.stringify(exported, null, 2) : exportText(exported));
  return exported;
}

function listedOutputs(text = ''): ExportOnnxOptions['outputs'] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map((name) => {
    const known = extraOutputs.find((output) => output === name);
    if (known === undefined)
      throw new UsageError(`there is no output '${name}'; expected ${extraOutputs.join(' or ')}`, 'outputs');
    return known;
  });
}

function exportText({ file, bytes, outputs, check, config, model }: OnnxExport): string {
  const megabytes = (bytes / 1e6).toFixed(1);
  const lines = [
    `${file}: ${model.network}, ${model.classes.length} classes, ${megabytes} MB; gives ${outputs.join(', ')}`,
    `${config}: classes, preparation, calibration and decision`,
  ];
  if (check) {
    const share = check.largestLogit === 0 ? 0 : check.largestError / check.largestLogit;
    lines.push(
      `checked in onnxruntime: logits within ${share.toExponential(1)} of the largest of libtorch's`,
    );
  }
  return lines.join('\n');
}
