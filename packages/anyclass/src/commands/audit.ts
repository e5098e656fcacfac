import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type AuditList, auditItems } from '../audits/auditItems.js';
import { writeCvatTask } from '../audits/cvat.js';
import { importAnswers } from '../audits/importAnswers.js';
import { labelStudioInterface, labelStudioTasks } from '../audits/labelStudio.js';
import { openLabelTable } from '../audits/labelTable.js';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { counted } from '../errors/counted.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { checkOutputFile, checkOutputFolder, makeFolderOf, writeOutput } from '../files/outputs.js';
import { alignedColumns } from '../tables/index.js';
import { force } from './datasetOptions.js';

const options = z.object({
  logs: z
    .array(z.string())
    .min(1)
    .describe('logs of predictions, as serve --log-predictions --audit writes them'),
  labels: z
    .string()
    .default('labels.csv')
    .describe('table of labels: what is labeled already, and where answers are written')
    .meta({ placeholder: 'CSV' }),
  images: z
    .string()
    .optional()
    .describe('folder of kept images, from serve --keep-audited')
    .meta({ placeholder: 'DIR' }),
  alarms: z.boolean().default(false).describe('also list the alarms that the coin did not draw'),
  page: z.boolean().default(false).describe('label on a local page; its address is printed'),
  port: z.int().min(0).max(65_535).default(0).describe('port of the page; 0 picks a free one'),
  out: z
    .string()
    .optional()
    .describe('write a table to fill in: a row for each image without a label')
    .meta({ placeholder: 'CSV' }),
  labelStudio: z
    .string()
    .optional()
    .describe('write tasks for Label Studio, and the labeling interface beside them')
    .meta({ placeholder: 'JSON' }),
  imageUrl: z
    .string()
    .optional()
    .describe(
      "address of the kept images for Label Studio; default its local storage, '/data/local-files/?d='",
    )
    .meta({ placeholder: 'PREFIX' }),
  cvat: z
    .string()
    .optional()
    .describe('write a folder for CVAT: images named by their ids, and labels.json')
    .meta({ placeholder: 'DIR' }),
  import: z
    .string()
    .optional()
    .describe('take over the answers of Label Studio (JSON) or CVAT (CVAT for images 1.1)')
    .meta({ placeholder: 'FILE' }),
  force,
  json: z.boolean().default(false).describe('print JSON'),
});

type Options = z.output<typeof options>;

export const audit = command({
  name: 'audit',
  summary: 'List or label the images that a server drew to be labeled',
  positionals: [{ field: 'logs', placeholder: 'LOG…', rest: true }],
  examples: [
    ['anyclass audit predictions.jsonl', 'what is left to label'],
    [
      'anyclass audit predictions.jsonl --images audited --page',
      'label on a local page, by keys; writes labels.csv',
    ],
    [
      'anyclass audit predictions.jsonl --images audited --label-studio tasks.json',
      'tasks for Label Studio; --cvat DIR for CVAT',
    ],
    ['anyclass audit predictions.jsonl --import export.json --labels labels.csv', 'and their answers back'],
  ],
  options,
  async run(given, terminal) {
    checkOptions(given);
    const list = await auditItems(given);
    const open = list.items.filter(({ id }) => list.table.answerOf(id) === undefined);
    if (given.import !== undefined) return imported(given, list, terminal);
    const left = { ...list, items: open };
    if (given.out !== undefined) {
      if (!given.force) await refuseAnswers(given.out, list);
      await writeTable(given.out, left, terminal);
    }
    if (given.labelStudio !== undefined) writeTasks(given, given.labelStudio, left, terminal);
    if (given.cvat !== undefined) {
      const count = writeCvatTask(open, list.classes, given.cvat);
      terminal.note(`wrote ${counted(count, 'image')} and labels.json to ${given.cvat}`);
    }
    const result = { images: list.items.length, left: open.length, items: open };
    if (given.page) await labelOnPage(given, list, terminal);
    else terminal.print(given.json ? JSON.stringify(result, null, 2) : listText(list, open));
    return result;
  },
});

function checkOptions({
  labels,
  images,
  page,
  out,
  labelStudio,
  imageUrl,
  cvat,
  logs,
  force: isForced,
  ...given
}: Options): void {
  const needing = [
    ['--page', page],
    ['--label-studio', labelStudio !== undefined],
    ['--cvat', cvat !== undefined],
  ] as const;
  const [flag] = needing.find(([, isGiven]) => isGiven && images === undefined) ?? [];
  if (flag !== undefined) throw new UsageError(`${flag} requires --images, the folder of kept images`);
  if (imageUrl !== undefined && labelStudio === undefined)
    throw new UsageError('--image-url requires --label-studio');
  if (
    given.import !== undefined &&
    (page || out !== undefined || labelStudio !== undefined || cvat !== undefined)
  )
    throw new UsageError('--import only takes over answers; it cannot be combined with other outputs');
  const rules = { inputs: [...logs, images, given.import], force: isForced };
  if (page || given.import !== undefined)
    checkOutputFile('--labels', labels, { ...rules, kind: 'a table of labels' });
  if (out !== undefined)
    checkOutputFile('--out', out, { ...rules, inputs: [...rules.inputs, labels], kind: 'a table of labels' });
  if (labelStudio !== undefined) checkOutputFile('--label-studio', labelStudio, { ...rules, kind: 'tasks' });
  if (cvat !== undefined) checkOutputFolder('--cvat', cvat);
}

function imported(given: Options, list: AuditList, terminal: Terminal) {
  const count = importAnswers(given.import ?? '', list);
  list.table.save();
  const left = list.items.filter(({ id }) => list.table.answerOf(id) === undefined).length;
  const result = { imported: count, images: list.items.length, left };
  terminal.print(
    given.json
      ? JSON.stringify(result, null, 2)
      : `${counted(count, 'answer')} in ${given.labels}; ${counted(left, 'image')} left to label`,
  );
  return result;
}

/** Refuses to replace what someone filled in. */
async function refuseAnswers(out: string, { classes }: AuditList): Promise<void> {
  const table = await openLabelTable(out, classes);
  const answers = table.ids().filter((id) => table.answerOf(id) !== undefined).length;
  if (answers === 0) return;
  throw new UsageError(
    `--out ${out} has ${counted(answers, 'answer')}; choose another path, or go on with --labels ${out}; --force replaces it`,
  );
}

async function writeTable(out: string, { items, classes }: AuditList, terminal: Terminal): Promise<void> {
  const empty = await openLabelTable(undefined, classes);
  for (const { id, name } of items) empty.set(id, undefined, name);
  writeOutput('--out', out, empty.text());
  terminal.note(`wrote ${counted(items.length, 'row')} to fill in to ${out}`);
}

function writeTasks(
  { images = '', imageUrl }: Options,
  out: string,
  { items, classes }: AuditList,
  terminal: Terminal,
): void {
  writeOutput('--label-studio', out, labelStudioTasks(items, { images, url: imageUrl }));
  const view = `${out.replace(/\.json$/, '')}.xml`;
  writeOutput('--label-studio', view, labelStudioInterface(classes));
  terminal.note(`wrote tasks to ${out} and the labeling interface to ${view}`);
}

async function labelOnPage(
  { labels, port, json }: Options,
  list: AuditList,
  terminal: Terminal,
): Promise<void> {
  makeFolderOf('--labels', labels);
  // Loaded here because only the page needs it.
  const { serveAudits } = await import('../audits/auditServer.js');
  using interruption = interruptible(terminal, 'Stopping', 5);
  await using server = await serveAudits(list, {
    labels,
    port,
    onUnexpected: (error) => terminal.note(`A request failed: ${reasonOf(error)}`),
  });
  const text = `Label ${counted(list.items.length, 'image')} at ${server.url}\nAnswers go to ${labels}${existsSync(labels) ? ', which is continued' : ''}; press Ctrl-C to stop`;
  terminal.print(json ? JSON.stringify({ url: server.url }) : text);
  if (!interruption.signal.aborted)
    await new Promise((end) => interruption.signal.addEventListener('abort', end));
}

/** How many images the text lists. */
const mostListed = 30;

function listText({ items, classes }: AuditList, open: AuditList['items']): string {
  const rows = open
    .slice(0, mostListed)
    .map(({ id, name = '', time = '', image }) => [id, time, name, image ?? '']);
  const more =
    open.length > mostListed ? [`… and ${(open.length - mostListed).toLocaleString('en-US')} more`] : [];
  return [
    `${counted(open.length, 'image')} left to label, of ${counted(items.length, 'image')} to look at${classes.length === 0 ? '' : `; classes: ${classes.join(', ')}`}`,
    ...(rows.length === 0
      ? []
      : [
          [
            alignedColumns([['id', 'time', 'name', 'image'], ...rows], ['left', 'left', 'left', 'left']),
            ...more,
          ].join('\n'),
        ]),
  ].join('\n\n');
}
