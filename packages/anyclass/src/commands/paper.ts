import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { parseWords } from '../commandLine/grammar/lists.js';
import { UserError } from '../errors/userError.js';
import { estimateTable } from '../experiments/paperEstimateTable.js';
import { paperTables } from '../experiments/paperPlan.js';
import { failureText } from '../experiments/results.js';
import { checkOutputFolder } from '../files/outputs.js';
import { textTable } from '../tables/index.js';
import { paperTitles, rerunPaper } from '../workflows/paperRerun.js';
import { shown } from './experimentRuns.js';
import { experimentFields, ifGiven, parseSeeds } from './trainingOptions.js';

const { set, out, jobs, devices, processes, replicates, noPrepare, json } = experimentFields;

export const paper = command({
  name: 'paper',
  summary: 'Rerun a table of the paper and compare the results with the published ones',
  positionals: [{ field: 'table', placeholder: 'TABLE' }],
  examples: [
    [
      'anyclass paper 1 --data sewerml=data/sewerml --out paper --dry-run',
      'print what it would train, how long it takes, and how much disk space it needs',
    ],
    [
      'anyclass paper 2 --data chestxray14=data/chest --seeds 1,2,3 --devices cuda:0,cuda:1 --out paper',
      'losses on ChestX-ray14, three seeds on two GPUs; run the same command again to resume',
    ],
    [
      'anyclass paper lambda --data coco-41=data/coco --data coco-animals=data/coco --out paper',
      'the λ ablations of two datasets',
    ],
  ],
  options: z.object({
    table: z
      .enum(paperTables)
      .describe('1 (losses on SewerML), 2 (on ChestX-ray14), 3 (on COCO-41), lambda (ablations), or all'),
    data: z
      .array(z.string())
      .default([])
      .describe('sewerml=DIR, chestxray14=DIR, coco-41=DIR or coco-animals=DIR; repeat the option for each')
      .meta({ placeholder: 'NAME=DIR' }),
    networks: z
      .string()
      .optional()
      .transform(ifGiven((text: string) => parseWords(text, 'networks')))
      .describe("only these of the table's networks")
      .meta({ placeholder: 'NETWORK,…' }),
    seeds: z
      .string()
      .default('1')
      .transform(parseSeeds)
      .describe('seeds for weights, data order and augmentation; the paper used one')
      .meta({ placeholder: 'N,…' }),
    dryRun: z.boolean().default(false).describe('print the plan and stop'),
    ...{ set, out, jobs, devices, processes, replicates, noPrepare, json },
  }),
  async run(options, terminal) {
    checkOutputFolder('--out', options.out);
    const title = paperTitles[options.table];
    const result = await shown(terminal, (hooks) =>
      rerunPaper(options, {
        ...hooks,
        onEstimate(estimate) {
          const text = textTable(estimateTable(estimate, title));
          if (!options.dryRun) terminal.note(`${text}\n`);
          else terminal.print(options.json ? JSON.stringify(estimate, null, 2) : text);
        },
      }),
    );
    if (options.dryRun) return result;
    const { comparison, page, unfinished } = result;
    if (!comparison) throw new UserError(failureText(unfinished));
    terminal.print(
      options.json ? JSON.stringify(comparison, null, 2) : `${comparison.verdict}\n\nwrote ${page}`,
    );
    if (unfinished.length > 0) throw new UserError(failureText(unfinished));
    return result;
  },
});
