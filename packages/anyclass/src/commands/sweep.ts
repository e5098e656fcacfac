import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { overText, parseOver } from '../commandLine/grammar/over.js';
import { UserError } from '../errors/userError.js';
import { comparisonTables } from '../experiments/comparisonTables.js';
import { failureText } from '../experiments/results.js';
import { defaultOver, sweep as sweepValues } from '../experiments/runSweep.js';
import { checkOutputFolder } from '../files/outputs.js';
import { writeWhole } from '../files/wholeFile.js';
import { sweepPanels, sweepSvg } from '../reports/sweepCharts.js';
import { textTable } from '../tables/index.js';
import { writeExperimentPage } from '../workflows/experimentPage.js';
import { chosenDecision } from './decisionOptions.js';
import { shown, writeTradeOffs } from './experimentRuns.js';
import { experimentFields } from './trainingOptions.js';

export const sweep = command({
  name: 'sweep',
  summary: 'Train with one field at several values, and recommend one if it matters',
  positionals: [{ field: 'config', placeholder: 'CONFIG|RECIPE' }],
  examples: [
    ['anyclass sweep quick --out sweeps/lambda', "the paper's values of λ, three seeds"],
    ['anyclass sweep base.json --over alpha=0.25,0.5,1 --seeds 1,2 --out sweeps/alpha', 'α, with two seeds'],
    [
      'anyclass sweep base.json --over optimizer.rate=0.01,0.03,0.1 --false-alarms 0.02 --out sweeps/rate',
      'any numeric field; recommend by F1 at 2% false alarms',
    ],
  ],
  options: z.object({
    over: z
      .string()
      .default(overText(defaultOver))
      .transform(parseOver)
      .describe('field to vary (lambda, alpha, gamma, beta or any numeric field) and its values')
      .meta({ placeholder: 'FIELD=N,…' }),
    ...experimentFields,
  }),
  async run(options, terminal) {
    const { out, json } = options;
    checkOutputFolder('--out', out);
    const decision = chosenDecision(options);
    const { sweep: result, unfinished } = await shown(terminal, (hooks) =>
      sweepValues({ ...options, decision }, hooks),
    );
    if (!result) throw new UserError(failureText(unfinished));
    const splits = result.points.every(({ metrics }) => metrics.test)
      ? (['validation', 'test'] as const)
      : (['validation'] as const);
    rmSync(join(out, 'sweep-test.svg'), { force: true });
    for (const split of splits)
      writeWhole(join(out, `sweep-${split}.svg`), sweepSvg(sweepPanels(result, split)));
    const tables = comparisonTables(result.comparison).map(({ table }) => textTable(table));
    terminal.print(json ? JSON.stringify(result, null, 2) : [result.verdict, ...tables].join('\n\n\n'));
    const charts = [
      ...(await writeTradeOffs(out, result.comparison, 'sweep-')),
      ...splits.map((split) => `${out}/sweep-${split}.svg`),
    ];
    const made = await writeExperimentPage(
      join(out, 'sweep.html'),
      basename(resolve(out)),
      result.comparison,
      result.recommendation.reason,
    );
    terminal.note(`wrote ${[made, `${out}/sweep.json`, ...charts].join(', ')} and ${out}/tables/sweep-*`);
    if (unfinished.length > 0) throw new UserError(failureText(unfinished));
    if (!json) terminal.note(`next    open ${made}: the trade-off and every value with its test`);
    return result;
  },
});
