import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { parseData, parseLosses, parseNetworks } from '../commandLine/grammar/variants.js';
import { UserError } from '../errors/userError.js';
import { compare as compareRuns } from '../experiments/compare.js';
import { comparisonTables } from '../experiments/comparisonTables.js';
import { failureText } from '../experiments/results.js';
import { checkOutputFolder } from '../files/outputs.js';
import { textTable } from '../tables/index.js';
import { writeExperimentPage } from '../workflows/experimentPage.js';
import { chosenDecision } from './decisionOptions.js';
import { shown, writeTradeOffs } from './experimentRuns.js';
import { experimentFields, ifGiven } from './trainingOptions.js';

export const compare = command({
  name: 'compare',
  summary: 'Train with several losses and seeds, and test which differences are significant',
  positionals: [{ field: 'config', placeholder: 'CONFIG|RECIPE' }],
  examples: [
    ['anyclass compare quick --out comparisons/digits', 'four losses, three seeds, on the embedded digits'],
    [
      'anyclass compare quick --losses bce,any-bce@lambda=0.02,any-bce@lambda=0.2 --seeds 1,2 --out comparisons/lambda',
      'losses with their own settings',
    ],
    [
      'anyclass compare quick --false-alarms 0.02 --out comparisons/digits',
      'evaluate the same runs at 2% false alarms instead of 5%',
    ],
    [
      'anyclass compare base.json --networks tresnet-m,vit-b-16@batchSize=64 --datasets \'@keep=["coco-41"]\' --datasets \'@keep=["coco-animals"]@loss.lambda=0.2\' --devices cuda:0,cuda:1 --out comparisons/coco',
      'networks and label sets too, on two GPUs; run the same command again to resume',
    ],
  ],
  options: z.object({
    losses: z
      .string()
      .default('bce,any-bce,focal,any-focal')
      .transform(parseLosses)
      .describe('losses, each with optional settings after @: any-bce@lambda=0.2@alpha=0.5')
      .meta({ placeholder: 'LOSS,…' }),
    networks: z
      .string()
      .optional()
      .transform(ifGiven(parseNetworks))
      .describe("networks, written the same way; default the configuration's")
      .meta({ placeholder: 'NETWORK,…' }),
    datasets: z
      .array(z.string())
      .default([])
      .transform((texts) => texts.map(parseData))
      .describe(
        'datasets, written the same way; repeat the option for each. @FIELD=VALUE alone applies to --data',
      )
      .meta({ placeholder: 'DATASET' }),
    ...experimentFields,
  }),
  async run(options, terminal) {
    const { out, json } = options;
    checkOutputFolder('--out', out);
    const decision = chosenDecision(options);
    const { comparison, unfinished } = await shown(terminal, (hooks) =>
      compareRuns({ ...options, decision }, hooks),
    );
    if (!comparison) throw new UserError(failureText(unfinished));
    const texts = [comparison.verdict, ...comparisonTables(comparison).map(({ table }) => textTable(table))];
    terminal.print(json ? JSON.stringify(comparison, null, 2) : texts.join('\n\n\n'));
    const charts = await writeTradeOffs(out, comparison);
    const made = await writeExperimentPage(join(out, 'comparison.html'), basename(resolve(out)), comparison);
    terminal.note(`wrote ${[made, `${out}/comparison.json`, ...charts].join(', ')} and ${out}/tables`);
    if (unfinished.length > 0) throw new UserError(failureText(unfinished));
    if (!json) terminal.note(`next    open ${made}: every pair has its answer and what settles it`);
    return comparison;
  },
});
