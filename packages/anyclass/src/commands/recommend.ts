import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { parseLosses } from '../commandLine/grammar/variants.js';
import { shellLine } from '../commandLine/shellLine.js';
import { failureText } from '../experiments/results.js';
import { checkOutputFolder } from '../files/outputs.js';
import { writeWhole } from '../files/wholeFile.js';
import { recommend as recommendLoss } from '../recommendation/recommend.js';
import { recommendationTable, setupTable } from '../recommendation/recommendationTable.js';
import { recommendationPage } from '../reports/recommendationPage.js';
import { textTable } from '../tables/index.js';
import { chosenDecision, decisionFields } from './decisionOptions.js';
import { shown } from './experimentRuns.js';
import { dataField, experimentFields, ifGiven } from './trainingOptions.js';

const { jobs, devices, processes, set, json } = experimentFields;

export const recommend = command({
  name: 'recommend',
  summary:
    'Find out in short pilot runs which input, augmentation and loss your data needs, and write a configuration',
  positionals: [{ field: 'source', placeholder: 'DATASET|CONFIG' }],
  examples: [
    ['anyclass recommend photos --minutes 30', 'writes recommendations/photos/recommended.jsonc'],
    [
      'anyclass recommend pipes.json --minutes 60 --false-alarms 0.02',
      "checks whether the configuration's loss is the right one at 2% false alarms",
    ],
    [
      'anyclass recommend photos --minutes 30',
      'the same command resumes after Ctrl-C and uses the remaining time',
    ],
    [
      'anyclass recommend photos --minutes 30 --set network.inputSize=128 --set augmentation=auto',
      'chooses the loss alone: fields that are set stay as they are',
    ],
    [
      'anyclass recommend coco-41=data/coco --minutes 20 --devices cuda:0,cuda:1 --out recommendations/coco',
      'pilot runs on two GPUs',
    ],
  ],
  options: z.object({
    source: z.string().describe('a dataset, or a configuration or recipe whose loss becomes a candidate'),
    minutes: z.number().positive().describe('time limit for all pilot runs together'),
    losses: z
      .string()
      .optional()
      .transform(ifGiven(parseLosses))
      .describe(
        'losses to choose from, as in compare; default bce and asl, with and without balancing and the any-class term',
      )
      .meta({ placeholder: 'LOSS,…' }),
    data: dataField,
    set,
    out: z
      .string()
      .optional()
      .describe('folder for the pilot runs and the result; default recommendations/NAME')
      .meta({ placeholder: 'DIR' }),
    jobs,
    devices,
    processes,
    ...decisionFields,
    json,
  }),
  async run(options, terminal) {
    if (options.out !== undefined) checkOutputFolder('--out', options.out);
    const decision = chosenDecision(options);
    const { recommendation, file, unfinished } = await shown(terminal, (hooks) =>
      recommendLoss({ ...options, decision }, hooks),
    );
    const failed = unfinished.filter(({ state }) => state === 'failed');
    if (failed.length > 0) terminal.note(failureText(failed));
    if (!recommendation) return undefined;
    const { verdict, reasons } = recommendation;
    const setups = setupTable(recommendation);
    terminal.print(
      options.json
        ? JSON.stringify(recommendation, null, 2)
        : [
            verdict,
            reasons.join('\n'),
            ...(setups ? [textTable(setups)] : []),
            textTable(recommendationTable(recommendation)),
          ].join('\n\n'),
    );
    const made = join(dirname(file), 'recommendation.html');
    writeWhole(made, recommendationPage(basename(dirname(resolve(file))), recommendation, file));
    terminal.note(`wrote ${made} and ${file}. Train with: ${shellLine(['anyclass', 'train', file])}`);
    return recommendation;
  },
});
