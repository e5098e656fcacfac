import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { nextLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { refuseFields } from '../configuration/parts.js';
import { validateConfiguration } from '../configuration/validate.js';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { type ReadingSettings, readingFor } from '../evaluation/runSettings.js';
import { exportFolder, type Library } from '../export/exportFolder.js';
import { exportVerdict } from '../export/exportVerdict.js';
import type { ForeignExport } from '../export/foreignWeights.js';
import { type ExportOnnxOptions, exportOnnx, type OnnxExport } from '../export/onnx/exportOnnx.js';
import { extraOutputs } from '../export/onnx/modelOutputs.js';
import { exportWeb, type WebExport } from '../export/web/exportWeb.js';
import { checkOutputFile, checkOutputFolder, makeFolderOf } from '../files/outputs.js';
import { onnxPrecisions } from '../inference/onnx/exportedModel.js';
import { megabytes } from '../tables/megabytes.js';
import { chosenFields, datasetInputs, force, settingOption } from './datasetOptions.js';

const options = z.object({
  model: z.string().describe('a run, or a model.safetensors'),
  format: z
    .enum(['onnx', 'web', 'timm', 'torchvision'])
    .default('onnx')
    .describe(
      'onnx: one file for onnxruntime and similar; web: a folder with a page that runs the model in the browser; timm, torchvision: a folder with weights in their format',
    ),
  out: z.string().describe('file or folder to write').meta({ placeholder: 'FILE|DIR' }),
  outputs: z
    .string()
    .optional()
    .describe(
      'onnx: outputs to add; embedding: the features before the head; cam: a heat map per class, for networks with a linear head',
    )
    .meta({ placeholder: 'embedding,cam' }),
  precision: z
    .enum(onnxPrecisions)
    .optional()
    .describe(
      'onnx and web: precision of the network; float16 and int8 (weights only) are evaluated on the validation split; default float32',
    ),
  title: z.string().optional().describe("web: title of the page; default the dataset's name"),
  data: z
    .string()
    .optional()
    .describe("data to evaluate float16 and int8 on; default the run's own")
    .meta({ placeholder: 'DATASET' }),
  judgedImages: z
    .int()
    .positive()
    .optional()
    .describe('evaluate on at most N validation images; default 2000'),
  set: settingOption('set a data field: data.imageFolder=DIR; may be repeated'),
  force,
  json: z.boolean().default(false).describe('print what was exported as JSON'),
});

type Options = z.output<typeof options>;

/** One value of `--format`: the options it takes besides the shared ones, and the function that writes it. */
interface ExportFormat {
  readonly takes: readonly (keyof Options)[];
  run(options: Options, terminal: Terminal): Promise<unknown>;
}

const formats: Readonly<Record<Options['format'], ExportFormat>> = {
  onnx: { takes: ['outputs', 'precision', 'data', 'judgedImages', 'set', 'force'], run: exportToOnnx },
  web: { takes: ['title', 'precision', 'data', 'judgedImages', 'set'], run: exportToWeb },
  timm: { takes: [], run: (options, terminal) => exportForLibrary('timm', options, terminal) },
  torchvision: { takes: [], run: (options, terminal) => exportForLibrary('torchvision', options, terminal) },
};

/** Options that every format takes. */
const shared: readonly string[] = ['model', 'format', 'out', 'json'];

export const exportModel = command({
  name: 'export',
  summary: 'Write a model for other programs: ONNX, a web page, timm, torchvision',
  positionals: [{ field: 'model', placeholder: 'RUN|MODEL' }],
  examples: [
    ['anyclass export runs/sewer --out sewer.onnx', 'then: anyclass predict sewer.onnx photos'],
    ['anyclass export runs/sewer --out sewer.onnx --outputs cam', 'with a heat map per class'],
    ['anyclass export runs/sewer --out sewer.onnx --precision int8', 'a quarter of the size'],
    [
      'anyclass export runs/sewer --format web --out sewer-web',
      'a page to drop photos on; any static host serves it',
    ],
    [
      'anyclass export runs/sewer --format timm --out sewer-timm',
      "in Python: timm.create_model('local-dir:sewer-timm', pretrained=True)",
    ],
  ],
  options,
  async run(given, terminal) {
    const { takes, run } = formats[given.format];
    const idle = Object.entries(given).find(
      ([name, value]) => isGiven(value) && !shared.includes(name) && !takes.some((option) => option === name),
    );
    if (idle) throw new UsageError(`has no effect with format ${given.format}`, idle[0]);
    return run(given, terminal);
  },
});

function isGiven(value: unknown): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value !== undefined && value !== false && !isEmpty;
}

async function exportToOnnx(options: Options, terminal: Terminal): Promise<OnnxExport> {
  const { model, out, outputs, precision, judgedImages, json } = options;
  checkOutputFile('--out', out, {
    kind: 'an ONNX model',
    inputs: [model, ...datasetInputs(options.data)],
    force: options.force,
  });
  const chosen: ExportOnnxOptions = {
    out,
    outputs: listedOutputs(outputs),
    precision,
    data: judgedData(options),
    judgedImages,
    onEvent: terminal.onEvent,
  };
  makeFolderOf('--out', out);
  const exported = await exportOnnx(model, chosen);
  if (exported.unchecked !== undefined)
    terminal.note(`The file was not checked against libtorch: ${exported.unchecked}`);
  terminal.print(json ? JSON.stringify(exported, null, 2) : exportText(exported));
  return exported;
}

async function exportToWeb(options: Options, terminal: Terminal): Promise<WebExport> {
  const { model, out, title, precision, judgedImages, json } = options;
  checkOutputFolder('--out', out);
  const data = judgedData(options);
  const exported = await exportWeb(model, {
    out,
    title,
    precision,
    data,
    judgedImages,
    onEvent: terminal.onEvent,
  });
  if (exported.unchecked !== undefined)
    terminal.note(`The model was not checked against libtorch: ${exported.unchecked}`);
  if (!exported.hasHeatMaps)
    terminal.note(
      `The page shows no heat maps: ${exported.model.network} has no linear head over feature maps`,
    );
  terminal.print(json ? JSON.stringify(exported, null, 2) : webText(exported));
  return exported;
}

async function exportForLibrary(
  library: Library,
  { model, out, json }: Options,
  terminal: Terminal,
): Promise<ForeignExport> {
  checkOutputFolder('--out', out);
  const exported = exportFolder(library, model, out);
  terminal.print(
    json
      ? JSON.stringify(exported, null, 2)
      : `${library} can load ${out} as ${exported.architecture}.\n${exported.files.join(', ')}`,
  );
  return exported;
}

/** Returns the data to evaluate a lower precision on; undefined for float32 or if there is none. */
function judgedData({
  model,
  data,
  judgedImages,
  set,
  precision = 'float32',
}: Options): ReadingSettings | undefined {
  const idle = Object.entries({ data, judgedImages, set }).find(([, value]) => isGiven(value))?.[0];
  if (precision === 'float32') {
    if (idle) throw new UsageError('has no effect with float32, which is not evaluated on data', idle);
    return undefined;
  }
  const reading = readingFor(model, data);
  if (!reading || Object.keys(set).length === 0) return reading;
  refuseFields(set, ['data.dataset'], 'is already given with --data');
  return validateConfiguration(chosenFields({ set }, ['data'], { data: reading }), 'the given options').data;
}

function listedOutputs(text = ''): ExportOnnxOptions['outputs'] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map((name) => {
    const known = extraOutputs.find((output) => output === name);
    if (known === undefined)
      throw new UsageError(`no such output '${name}'; expected ${extraOutputs.join(' or ')}`, 'outputs');
    return known;
  });
}

function exportText(exported: OnnxExport): string {
  const { file, bytes, outputs, config, model } = exported;
  return [
    exportVerdict(file, exported),
    `${file}: ${model.network}, ${counted(model.classes.length, 'class')}, ${megabytes(bytes)}; outputs ${outputs.join(', ')}`,
    `${config}: classes, preprocessing, calibration and decision`,
    nextLine(['predict', file, 'PHOTOS'], ['serve', file]),
  ].join('\n');
}

function webText(exported: WebExport): string {
  const { folder, bytes, model } = exported;
  return [
    exportVerdict(`The model in ${folder}`, exported),
    `${folder}: a page with ${model.network}, ${counted(model.classes.length, 'class')}, ${megabytes(bytes)}`,
    `Try it: npx http-server ${folder} (any static host works; a page opened from disk cannot load the model)`,
  ].join('\n');
}
