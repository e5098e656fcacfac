import { command } from '../commandLine/command.js';
import { queueCommand, queueFields } from './queueOptions.js';

export const select = command({
  name: 'select',
  summary: 'Select what to label next from a folder of unlabeled images',
  positionals: [
    { field: 'model', placeholder: 'MODEL' },
    { field: 'paths', placeholder: 'FOLDER…', rest: true },
  ],
  examples: [
    [
      'anyclass select runs/sewer new-videos --count 500',
      'next to the gate, where the model is least sure, and spread out',
    ],
    [
      'anyclass select runs/sewer new-videos --out next.json',
      'a queue for anyclass studio; the labels become next-labels.csv, a table to train on',
    ],
  ],
  options: queueFields,
  async run(given, terminal) {
    const { selectImages } = await import('../queues/queueImages.js');
    return queueCommand(given, terminal, selectImages, 'next to the gate, spread by their embeddings');
  },
});
