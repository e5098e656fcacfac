import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { shareField } from '../commandLine/grammar/shares.js';
import { shellLine } from '../commandLine/shellLine.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { monitoringText, monitoringVerdicts, risenSince } from '../field/monitoringText.js';
import { monitorLogs } from '../field/monitorLogs.js';
import { prometheusText } from '../field/prometheus.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { validationPresence } from '../runs/runScores.js';
import { force } from './datasetOptions.js';
import { decisionFields, type GivenDecision, limitWords } from './decisionOptions.js';
import { lineOrTime } from './lineOrTime.js';

/** So that a cron job can tell a broken promise from a failure. */
const brokenExitCode = 4;

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
      'anyclass monitor predictions.jsonl labels.csv --missed 5%',
      'also whether at most 5% of positives are cleared',
    ],
    [
      'anyclass monitor predictions.jsonl labels.csv --negatives-at-least 0.7 --prometheus field.prom',
      'a bound without labels, and a file for Prometheus',
    ],
    [
      'anyclass monitor predictions.jsonl labels.csv --html field.html --run runs/sewer',
      'a page with the evidence over time, and whether presence scores drift',
    ],
  ],
  options: z.object({
    files: z
      .array(z.string())
      .describe('logs of predictions, then a table of labels with id and negative, or a column per class'),
    falseAlarms: decisionFields.falseAlarms.describe(
      "the promised share of negatives that alarm; default what the log's decision was fitted for",
    ),
    missed: decisionFields.missed.describe(
      "the promised share of positives that are cleared; default what the log's decision was fitted for; none: do not judge it",
    ),
    confidence: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.95)
      .describe('confidence of every statement, however often you look'),
    from: z
      .string()
      .transform(lineOrTime)
      .optional()
      .describe(
        'judge only from this line of all logs on, or from this time on, such as the day when a camera was replaced: 1501 or 2026-03-14',
      )
      .meta({ placeholder: 'LINE|TIME' }),
    negativesAtLeast: shareField()
      .optional()
      .describe(
        'a share that negatives are known to have at least: then the share of alarms bounds the rate without labels',
      ),
    prometheus: z
      .string()
      .optional()
      .describe("also write the result for Prometheus' textfile collector")
      .meta({ placeholder: 'FILE' }),
    html: z.string().optional().describe('also write a page with charts').meta({ placeholder: 'FILE' }),
    run: z
      .string()
      .optional()
      .describe("the model's run: its validation scores show whether presence scores drift")
      .meta({ placeholder: 'RUN' }),
    force,
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(given, terminal) {
    const { files, falseAlarms, missed, confidence, from, negativesAtLeast, prometheus, html, run, json } =
      given;
    const [logs, labels] = [files.slice(0, -1), files.at(-1)];
    if (logs.length === 0 || labels === undefined) {
      throw new UsageError('expected one or more logs and a table of labels: LOG… LABELS');
    }
    if (/\.jsonl(\.gz)?$/.test(labels)) {
      throw new UsageError(`expected the table of labels last: LOG… LABELS; got '${labels}'`);
    }
    const rules = { inputs: files, force: given.force };
    if (prometheus !== undefined)
      checkOutputFile('--prometheus', prometheus, { ...rules, kind: 'metrics for Prometheus' });
    if (html !== undefined) checkOutputFile('--html', html, { ...rules, kind: 'an HTML page' });
    const result = await monitorLogs({
      logs,
      labels,
      falseAlarms,
      missed,
      confidence,
      from,
      ...(negativesAtLeast !== undefined && { negativesAtLeast }),
      ...(run !== undefined && { reference: await validationPresence(run) }),
    });
    const refit = shellLine(refitWords(logs, labels, given));
    if (prometheus !== undefined) writeOutput('--prometheus', prometheus, prometheusText(result));
    if (html !== undefined) {
      // Loaded late: most calls write no page.
      const { monitoringPage } = await import('../field/monitoringPage.js');
      writeOutput('--html', html, monitoringPage(result, { title: logs.join(', '), confidence, refit }));
    }
    terminal.print(json ? JSON.stringify(result, null, 2) : monitoringText(result, confidence));
    const [falseAlarmVerdict = '', missedVerdict = ''] = monitoringVerdicts(result, confidence);
    const broken = [
      ...(result.verdict === 'broken' ? [falseAlarmVerdict] : []),
      ...(result.missed?.verdict === 'broken' ? [missedVerdict] : []),
    ];
    if (broken.length > 0) {
      terminal.note(`To fit the decision to this site: ${refit}`);
      throw new UserError(broken.join(' '), { exitCode: brokenExitCode });
    }
    const since =
      risenSince(result, result.falseAlarms) ??
      (result.missed && risenSince(result.missed, result.missed.limit));
    if (since !== undefined)
      terminal.note(`To judge only what came since: ${shellLine(fromWords(given, since))}`);
    return result;
  },
});

/** The same judgment of the lines from one on. */
function fromWords(
  {
    files,
    falseAlarms,
    missed,
    confidence,
  }: {
    readonly files: readonly string[];
    readonly falseAlarms?: number | undefined;
    readonly missed?: number | null | undefined;
    readonly confidence: number;
  },
  line: number,
): string[] {
  return [
    'anyclass',
    'monitor',
    ...files,
    ...limitWords({ falseAlarms, missed, confidence: confidence === 0.95 ? undefined : confidence }),
    '--from',
    String(line),
  ];
}

/** The command that refits the decision on the audits of these logs. */
function refitWords(
  logs: readonly string[],
  labels: string,
  { falseAlarms, missed, from, run = 'MODEL' }: Limits & { readonly run?: string | undefined },
): string[] {
  const given = logs.flatMap((log) => ['--log', log]);
  return [
    ...['anyclass', 'refit', run, ...given, '--labels', labels],
    ...limitWords({ falseAlarms, missed }),
    ...(from === undefined ? [] : ['--from', from instanceof Date ? from.toISOString() : String(from)]),
    ...['--out', 'NEW.safetensors'],
  ];
}

interface Limits extends Pick<GivenDecision, 'falseAlarms' | 'missed'> {
  readonly from?: number | Date | undefined;
}
