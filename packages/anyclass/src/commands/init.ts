import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { roughDuration } from '../commandLine/display/progressBar.js';
import { shellLine } from '../commandLine/shellLine.js';
import { pathsForFile } from '../configuration/paths.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { suggestConfiguration } from '../inspect/suggestConfiguration.js';
import { settingOption } from './datasetOptions.js';

/** Longer training is worth a word about `--minutes`. */
const patienceSeconds = 3600;

export const init = command({
  name: 'init',
  summary: 'Inspect data and write a configuration for it',
  positionals: [{ field: 'dataset', placeholder: 'DIR' }],
  examples: [
    ['anyclass init photos', 'writes anyclass.json; then: anyclass train anyclass.json'],
    ['anyclass init coco-41=data/coco --out coco.json', 'a known dataset'],
    [
      `anyclass init labels.csv --set 'data.columns.ignore=["weather"]'`,
      'a table with a column that is not a class',
    ],
  ],
  options: z.object({
    dataset: z.string().describe('a folder with a table of images, or any DATASET'),
    out: z.string().default('anyclass.json').describe('the file to write').meta({ placeholder: 'FILE' }),
    set: settingOption('set a configuration field, for example how the table is read; may be repeated'),
    json: z.boolean().default(false).describe('print the configuration as JSON'),
  }),
  async run({ dataset, out, set, json }, terminal) {
    if (existsSync(out))
      throw new UserError(`${out} already exists; delete it or choose another path with --out`);
    checkOutputFile('--out', out, { kind: 'a configuration' });
    const suggestion = await suggestConfiguration(dataset, set);
    const configuration = pathsForFile(suggestion.configuration, dirname(out));
    const text = JSON.stringify(configuration, null, 2);
    writeOutput('--out', out, `${text}\n`);
    const [first = '', ...others] = suggestion.remarks;
    terminal.note(`${first}; training takes ${roughDuration(suggestion.expectedSeconds)} here`);
    for (const remark of others) terminal.note(remark);
    const words = ['anyclass', 'train', out];
    const shorter = `, or as much as fits into half an hour: ${shellLine([...words, '--minutes', '30'])}`;
    const advice = `Train with: ${shellLine(words)}${suggestion.expectedSeconds > patienceSeconds ? shorter : ''}`;
    terminal.print(json ? text : `wrote ${out}. ${advice}`);
    return configuration;
  },
});
