import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { modelText } from '../field/modelText.js';
import { readModelRecord } from '../inference/modelRecord.js';

export const model = command({
  name: 'model',
  summary: 'Show what a model file holds: classes, decision, promise, and where each came from',
  positionals: [{ field: 'model', placeholder: 'RUN|MODEL' }],
  examples: [
    ['anyclass model runs/sewer', 'the model of a run'],
    ['anyclass model site.onnx --json', 'everything but the weights, as JSON'],
  ],
  options: z.object({
    model: z.string().describe('a run, a model.safetensors, or an exported .onnx'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ model: path, json }, terminal) {
    const record = readModelRecord(path);
    terminal.print(json ? JSON.stringify(record, null, 2) : modelText(record));
    return record;
  },
});
