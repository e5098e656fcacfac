import { existsSync } from 'node:fs';
import { z } from 'zod';
import { command, UserError } from '../commandLine/command.js';
import { suggestConfiguration } from '../configuration/suggest.js';
import { writeWhole } from '../runFolder/wholeFile.js';

export const init = command({
  name: 'init',
  summary: 'Look at data and write a configuration that fits it',
  positionals: [{ field: 'dataset', placeholder: 'DIR' }],
  examples: [
    ['anyclass init photos', 'writes anyclass.json; then: anyclass train anyclass.json'],
    ['anyclass init coco-41=data/coco --output coco.json', 'a known dataset'],
  ],
  options: z.object({
    dataset: z.string().describe('a folder with a table of images, or any DATASET'),
    output: z.string().default('anyclass.json').describe('the file to write').meta({ placeholder: 'FILE' }),
    json: z.boolean().default(false).describe('print the configuration as JSON'),
  }),
  async run({ dataset, output, json }, terminal) {
    if (existsSync(output))
      throw new UserError(`${output} is there already: remove it, or name another with --output`);
    const { configuration, remarks } = await suggestConfiguration(dataset);
    const text = JSON.stringify(configuration, null, 2);
    writeWhole(output, `${text}\n`);
    for (const remark of remarks) terminal.note(remark);
    terminal.print(json ? text : `wrote ${output}. Train with: anyclass train ${output}`);
    return configuration;
  },
});
