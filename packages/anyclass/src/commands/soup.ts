import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { UsageError } from '../errors/usageError.js';
import { bestMetrics } from '../events/bestMetric.js';
import { checkOutputFolder } from '../files/outputs.js';
import { summaryText } from '../reports/judgmentText.js';
import { soupAndReport } from '../workflows/trainAndReport.js';
import { nextSteps } from './train.js';

export const soup = command({
  name: 'soup',
  summary: 'Average the weights of several runs as long as that improves validation',
  positionals: [{ field: 'runs', placeholder: 'RUN…', rest: true }],
  examples: [
    [
      'anyclass soup runs/a runs/b runs/c --out runs/soup',
      'the best run, and those that improve its average',
    ],
    ['anyclass soup tuned/trials/* --out runs/soup --by macroF1', 'trials of a search, judged by macro F1'],
  ],
  options: z.object({
    runs: z.array(z.string()).describe('finished runs of one network on the same data and splits'),
    out: z
      .string()
      .describe('folder for the soup, which is a run like any other')
      .meta({ placeholder: 'DIR' }),
    by: z
      .enum(bestMetrics)
      .optional()
      .describe('metric on validation that decides; default bestBy of the first run'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ runs, out, by, json }, terminal) {
    if (runs.length < 2) throw new UsageError('expected two or more runs: RUN… --out DIR');
    checkOutputFolder('--out', out);
    using interruption = interruptible(terminal);
    const result = await soupAndReport(runs, {
      out,
      by,
      onEvent: terminal.onEvent,
      signal: interruption.signal,
    });
    const { summary, kept } = result;
    const text = [
      `${kept.length} of ${runs.length} runs are in the soup: ${kept.join(', ')}`,
      ...(summary ? [summaryText(out, summary, true)] : []),
    ].join('\n\n');
    terminal.print(json ? JSON.stringify(result, null, 2) : text);
    if (!json && summary) terminal.note(nextSteps(out, summary));
    return result;
  },
});
