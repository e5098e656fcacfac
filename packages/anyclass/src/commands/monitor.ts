import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { monitoringText, monitoringVerdict } from '../field/monitoringText.js';
import { monitorLogs } from '../field/monitorLogs.js';
import { prometheusText } from '../field/prometheus.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { force } from './datasetOptions.js';
import { decisionFields } from './decisionOptions.js';

/** So that a cron job can tell a broken promise from a failure. */
const brokenExitCode = 4;

const share = (description: string) =>
  z.number().gt(0).lt(1).describe(description).meta({ placeholder: 'SHARE' });

export const monitor = command({
  name: 'monitor',
  summary: 'Say whether a promised false-alarm rate holds after deployment',
  positionals: [{ field: 'files', placeholder: 'LOG… LABELS', rest: true }],
  examples: [
    [
      'anyclass monitor predictions.jsonl labels.csv',
      'holds, broken or undecided; exit code 4 if the promise is broken',
    ],
    ['anyclass monitor logs/*.jsonl labels.csv --false-alarms 0.02', 'rotated logs, and another promise'],
    [
      'anyclass monitor predictions.jsonl labels.csv --negatives-at-least 0.7 --prometheus field.prom',
      'a bound without labels, and a file for Prometheus',
    ],
  ],
  options: z.object({
    files: z
      .array(z.string())
      .describe('logs of predictions, then a table of labels with id and negative, or a column per class'),
    falseAlarms: decisionFields.falseAlarms.describe(
      "the promised share of negatives that alarm; default what the log's decision was fitted for",
    ),
    confidence: share('confidence of every statement, however often you look').default(0.95),
    negativesAtLeast: share(
      'a share that negatives are known to have at least: then the share of alarms bounds the rate without labels',
    ).optional(),
    prometheus: z
      .string()
      .optional()
      .describe("also write the result for Prometheus' textfile collector")
      .meta({ placeholder: 'FILE' }),
    force,
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ files, falseAlarms, confidence, negativesAtLeast, prometheus, force, json }, terminal) {
    const [logs, labels] = [files.slice(0, -1), files.at(-1)];
    if (logs.length === 0 || labels === undefined) {
      throw new UsageError('expected one or more logs and a table of labels: LOG… LABELS');
    }
    if (prometheus !== undefined) {
      checkOutputFile('--prometheus', prometheus, { kind: 'metrics for Prometheus', inputs: files, force });
    }
    const result = await monitorLogs({
      logs,
      labels,
      falseAlarms,
      confidence,
      ...(negativesAtLeast !== undefined && { negativesAtLeast }),
    });
    if (prometheus !== undefined) writeOutput('--prometheus', prometheus, prometheusText(result));
    terminal.print(json ? JSON.stringify(result, null, 2) : monitoringText(result, confidence));
    if (result.verdict === 'broken') {
      throw new UserError(monitoringVerdict(result, confidence), { exitCode: brokenExitCode });
    }
    return result;
  },
});
