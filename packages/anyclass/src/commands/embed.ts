import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { openOptions } from '../configuration/openOptions.js';
import { refuseFields } from '../configuration/parts.js';
import { validateConfiguration } from '../configuration/validate.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UserError } from '../errors/userError.js';
import { readingFor } from '../evaluation/runSettings.js';
import { embed as embedDataset } from '../export/embedding/embedDataset.js';
import { featureFiles } from '../export/embedding/featureFile.js';
import { checkOutputFile } from '../files/outputs.js';
import { chosenFields, datasetInputs, deviceField, force, settingOption } from './datasetOptions.js';

export const embed = command({
  name: 'embed',
  summary: 'Compute the embeddings of a dataset and save them as a dataset of features',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL|WEIGHTS' },
    { field: 'dataset', placeholder: 'DATASET' },
  ],
  examples: [
    ['anyclass embed runs/sewer sewerml=data/sewer --out features.parquet', 'with names, splits and labels'],
    ['anyclass train features --data features.parquet', 'train on the embeddings, in seconds'],
    [
      'anyclass embed timm/resnet18.a1_in1k photos --out photos.npy',
      'with published weights; the labels go to photos.csv',
    ],
    [
      'anyclass embed runs/sewer new.csv --out new.csv.safetensors --set data.imageFolder=new',
      'other images',
    ],
  ],
  options: z.object({
    model: z.string().describe('a run, a model.safetensors, or published weights by name'),
    dataset: z.string().describe('dataset to embed; read with the settings of the run'),
    out: z
      .string()
      .describe('.parquet, .csv, .npy or .safetensors; the last two come with a .csv of labels')
      .meta({ placeholder: 'FILE' }),
    device: deviceField,
    batchSize: z.int().positive().default(64).describe('images per batch'),
    set: settingOption('set a data field: data.imageFolder=DIR; may be repeated'),
    force,
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ model, dataset, out, device, batchSize, set, force: isForced, json }, terminal) {
    const inputs = [...datasetInputs(dataset), model];
    for (const path of featureFiles(out)) {
      checkOutputFile('--out', path, { kind: 'a file of features', inputs, force: isForced });
    }
    refuseFields(set, ['data.dataset'], 'is already given as DATASET');
    const reading = { ...readingFor(model, dataset), dataset };
    const { data } = validateConfiguration(
      chosenFields({ set }, ['data'], { data: reading }),
      'the given options',
    );
    using interruption = interruptible(terminal, 'Stopping; press Ctrl-C again to quit immediately');
    try {
      const result = await embedDataset(model, dataset, {
        out,
        device,
        batchSize,
        open: openOptions(data),
        strict: data.strict,
        cache: data.cache,
        signal: interruption.signal,
        onEvent: terminal.onEvent,
      });
      const { files, rows, features, network, classes, quarantined } = result;
      for (const { name, reason } of quarantined) terminal.note(`skipped ${lineAbout(name, reason)}`);
      const text = `${files.join(' and ')}: ${counted(rows, 'row')} of ${counted(features, 'feature')} from ${network}, ${counted(classes.length, 'class')}`;
      terminal.print(json ? JSON.stringify(result, null, 2) : text);
      return result;
    } catch (error) {
      if (!interruption.signal.aborted) throw error;
      throw new UserError('Interrupted; nothing was written', { exitCode: interruption.exitCode() });
    }
  },
});
