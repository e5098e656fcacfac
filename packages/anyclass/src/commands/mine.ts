import { command } from '../commandLine/command.js';
import { queueCommand, queueFields } from './queueOptions.js';

export const mine = command({
  name: 'mine',
  summary: 'Find the likely false alarms in a folder of unlabeled images',
  positionals: [
    { field: 'model', placeholder: 'MODEL' },
    { field: 'paths', placeholder: 'FOLDER…', rest: true },
  ],
  examples: [
    ['anyclass mine runs/sewer new-videos', 'what alarms most surely, where next to nothing should'],
    [
      'anyclass mine runs/sewer new-videos --out mined.json',
      'a queue for anyclass studio; the labels become mined-labels.csv, a table to train on',
    ],
  ],
  options: queueFields,
  async run(given, terminal) {
    const { mineImages } = await import('../queues/queueImages.js');
    return queueCommand(given, terminal, mineImages, 'alarms first, the surest at the top');
  },
});
