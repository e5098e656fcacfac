import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { readConfiguration } from '../configuration/readConfiguration.js';
import { UserError } from '../errors/userError.js';
import { comparisonTables } from '../experiments/comparisonTables.js';
import { planRuns } from '../experiments/plan.js';
import { readRuns } from '../experiments/readRuns.js';
import {
  compareWithProgress,
  failureText,
  testWithProgress,
  writeResultFiles,
} from '../experiments/results.js';
import { plannedValues, recommend, type Sweep, sweepPoints } from '../experiments/sweep.js';
import { parseOver, sweepVariants } from '../experiments/sweepPlan.js';
import { parseSeeds } from '../experiments/variants.js';
import { sweepVerdict } from '../experiments/verdict.js';
import { checkOutputFolder } from '../files/outputs.js';
import { writeWhole } from '../files/wholeFile.js';
import { textTable } from '../tables/index.js';
import { makeRuns } from './experimentRuns.js';
import { deviceSetting, experimentFields } from './trainingOptions.js';

export const sweep = command({
  name: 'sweep',
  summary: 'Train with one field at several values, and recommend one if it matters',
  positionals: [{ field: 'config', placeholder: 'CONFIG|RECIPE' }],
  examples: [
    ['anyclass sweep quick --out sweeps/lambda', "the paper's values of λ, three seeds"],
    ['anyclass sweep base.json --over alpha=0.25,0.5,1 --seeds 1,2 --out sweeps/alpha', 'α, with two seeds'],
    [
      'anyclass sweep base.json --over optimizer.rate=0.01,0.03,0.1 --max-drop 1 --out sweeps/rate',
      'any numeric field; reject values that cost a point or more of F1-Neg',
    ],
  ],
  options: z.object({
    over: z
      .string()
      .default('lambda=0,0.01,0.02,0.05,0.1,0.2,0.5,1')
      .describe('lambda, alpha, gamma, beta or any numeric field, and its values')
      .meta({ placeholder: 'FIELD=N,…' }),
    maxDrop: z
      .number()
      .positive()
      .default(1.5)
      .describe('reject values that cost at least N points of F1-Neg'),
    ...experimentFields,
  }),
  async run(options, terminal) {
    checkOutputFolder('--out', options.out);
    const { config, data, over, seeds, devices, replicates, maxDrop, out, json } = options;
    const set = [...options.set, ...deviceSetting(devices)];
    const swept = parseOver(over);
    const losses = sweepVariants(swept, await readConfiguration(config, { dataset: data, set }));
    const plan = await planRuns({ config, data, set, losses, seeds: parseSeeds(seeds), out });
    const { folders, unfinished } = await makeRuns(plan, options, terminal);
    const runs = readRuns(folders);
    const comparison = await compareWithProgress(runs, replicates, terminal.onEvent);
    const points = sweepPoints(swept, comparison, plan);
    const { field, title } = swept;
    const ranked = recommend(points, title, maxDrop / 100, plannedValues(swept, plan));
    // Figures on other images say nothing of a value.
    const recommendation =
      comparison.notes.length > 0
        ? { reason: `No ${title} is recommended: ${comparison.notes.join('; ')}` }
        : await testWithProgress(ranked, points, runs, title, replicates, terminal.onEvent);
    const verdict = sweepVerdict(recommendation, points, comparison);
    const result: Sweep = { verdict, field, title, points, recommendation, comparison };
    const tables = comparisonTables(comparison);
    writeResultFiles(out, 'sweep', result, tables);
    const splits = points.every(({ figures }) => figures.test)
      ? (['validation', 'test'] as const)
      : (['validation'] as const);
    // Only now: ECharts takes a third of a second to load.
    const { sweepPanels, sweepSvg } = await import('../reports/sweepFigures.js');
    rmSync(join(out, 'sweep-test.svg'), { force: true });
    for (const split of splits)
      writeWhole(join(out, `sweep-${split}.svg`), sweepSvg(sweepPanels(result, split)));
    const texts = [verdict, ...tables.map(({ table }) => textTable(table))];
    terminal.print(json ? JSON.stringify(result, null, 2) : texts.join('\n\n\n'));
    terminal.note(
      `wrote ${out}/sweep.json, ${splits.map((split) => `${out}/sweep-${split}.svg`).join(', ')} and ${out}/tables/sweep-*`,
    );
    if (unfinished.length > 0) throw new UserError(failureText(unfinished));
    return result;
  },
});
