import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { nextLine, shownPaths } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { countedNames } from '../data/dataset/countedNames.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UserError } from '../errors/userError.js';
import { openExplainer } from '../explain/explainer.js';
import { checkExplanationFolder, explanationFolder } from '../explain/explanationFolder.js';
import type { ExplanationRecord } from '../explain/explanationRecord.js';
import { heatMapMethods } from '../explain/heatMap.js';
import { checkOutputFolder } from '../files/outputs.js';
import { imageInputs } from '../inference/imageInputs.js';
import { deviceField } from './datasetOptions.js';
import { decisionFields } from './decisionOptions.js';
import { requestedDecision, thresholdField } from './requestedDecision.js';

/** Exit code when some images could not be read and the others were explained. */
const someFailed = 3;

export const explain = command({
  name: 'explain',
  summary: 'Show where in an image a model sees a class, or why the gate let it through',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'paths', placeholder: 'IMAGE…', rest: true },
  ],
  examples: [
    [
      'anyclass explain runs/sewer pipe-12.jpg --out heat',
      'presence and the predicted classes: overlays, arrays and a page in heat',
    ],
    ['anyclass explain runs/sewer photos --for crack --for presence --out heat', 'these two in every image'],
    [
      'anyclass explain runs/sewer pipe-12.jpg --method occlusion --out check',
      'a check that needs no gradients: cover parts of the image',
    ],
  ],
  options: z.object({
    model: z.string().describe('a run, or a model.safetensors'),
    paths: z.array(z.string()).min(1).describe('images, folders, patterns, Parquet files, or - for a list'),
    out: z
      .string()
      .describe('folder for index.html, explanations.json, and a .png and .npy per map')
      .meta({ placeholder: 'DIR' }),
    for: z
      .array(z.string())
      .default([])
      .describe('a class, or presence; may be repeated. Default: presence and the predicted classes')
      .meta({ placeholder: 'CLASS' }),
    method: z
      .enum(['auto', ...heatMapMethods])
      .default('auto')
      .describe(
        'auto: tokens for ViT and DINO, cam where the head is linear on the mean of the maps, else grad-cam; layer-cam is finer; occlusion checks the others; tiles, for models that cut images into tiles',
      ),
    ...decisionFields,
    threshold: thresholdField,
    device: deviceField,
    batchSize: z.int().positive().default(8).describe('images per batch'),
    json: z.boolean().default(false).describe('print the content of explanations.json, one image per line'),
  }),
  async run(given, terminal) {
    const { model, paths, out, method, device, batchSize, json } = given;
    checkOutputFolder('--out', out);
    checkExplanationFolder(out);
    using explainer = await openExplainer(model, {
      targets: given.for.length === 0 ? undefined : given.for,
      decision: requestedDecision(given),
      method,
      device,
      batchSize,
    });
    for (const remark of explainer.remarks) terminal.note(remark);
    const { description, decision, reading } = explainer;
    const skipped = countedNames();
    const failed: string[] = [];
    const records: ExplanationRecord[] = [];
    let folder: ReturnType<typeof explanationFolder> | undefined;
    for await (const explanation of explainer.explain(
      imageInputs(paths, undefined, undefined, skipped.add),
    )) {
      if ('failure' in explanation) {
        failed.push(lineAbout(explanation.name, explanation.failure));
        continue;
      }
      folder ??= explanationFolder(out, { model, classes: description.classes, decision, reading });
      const record = await folder.add(explanation);
      records.push(record);
      terminal.print(json ? JSON.stringify(record) : recordText(record));
    }
    const page = folder?.finish();
    if (page !== undefined) sayWhere(terminal, page, records.length);
    if (failed.length > 0) {
      throw new UserError(
        [`${counted(failed.length, 'image')} could not be read:`, ...failed.map((text) => `  ${text}`)].join(
          '\n',
        ),
        { exitCode: records.length > 0 ? someFailed : 1 },
      );
    }
    if (records.length === 0) throw new UserError(`no image in ${paths.join(', ')}`);
    if (!json && !terminal.isPiped)
      terminal.note(
        nextLine(
          ...(method === 'occlusion'
            ? []
            : [['explain', model, ...shownPaths(paths), '--method', 'occlusion', '--out', `${out}-check`]]),
          ['predict', model, 'PHOTOS'],
        ),
      );
    return records;
  },
});

function sayWhere(terminal: Terminal, page: string, images: number): void {
  terminal.note(`${counted(images, 'image')}; open ${page}`);
}

/** One line per map: what, how probable, and where it is strongest. */
function recordText({ name, maps }: ExplanationRecord): string {
  const lines = maps.map(({ target, probability, peakAt, overlay }) => {
    const place = peakAt
      ? `strongest at ${percent(peakAt.x)} from left, ${percent(peakAt.y)} from top`
      : 'no evidence';
    return `  ${target} ${(100 * probability).toFixed(1)}%: ${place}; ${overlay}`;
  });
  return [name, ...lines].join('\n');
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
