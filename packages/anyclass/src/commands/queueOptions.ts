// Options of `mine` and `select`.

import { z } from 'zod';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { type ImageQueue, queueText } from '../queues/imageQueue.js';
import type { QueueOptions } from '../queues/queueImages.js';
import { alignedColumns } from '../tables/index.js';
import { deviceField, force } from './datasetOptions.js';

export const queueFields = z.object({
  model: z.string().describe('a run, or a model.safetensors'),
  paths: z.array(z.string()).min(1).describe('folders of images, files, or patterns'),
  count: z.int().positive().default(200).describe('how many images'),
  out: z
    .string()
    .optional()
    .describe('write the queue for Studio, which shows it below its folders; labels go beside it')
    .meta({ placeholder: 'JSON' }),
  device: deviceField,
  batchSize: z.int().positive().default(32).describe('images per batch'),
  force,
  json: z.boolean().default(false).describe('print JSON'),
});

/** How many images the text lists. */
const mostListed = 30;

/** Chooses images, prints them and writes the queue. */
export async function queueCommand(
  given: z.output<typeof queueFields>,
  terminal: Terminal,
  choose: (model: string, paths: readonly string[], options: QueueOptions) => Promise<ImageQueue>,
  what: string,
): Promise<ImageQueue> {
  const { model, paths, count, out, device, batchSize, force: isForced, json } = given;
  if (out !== undefined)
    checkOutputFile('--out', out, { kind: 'a queue of images', inputs: [model, ...paths], force: isForced });
  using interruption = interruptible(terminal, 'Stopping; press Ctrl-C again to quit immediately');
  try {
    const queue = await choose(model, paths, {
      count,
      device,
      batchSize,
      signal: interruption.signal,
      onSkipped: (name, reason) => terminal.note(`skipped ${lineAbout(name, reason)}`),
    });
    if (out !== undefined) {
      writeOutput('--out', out, queueText(queue));
      terminal.note(
        `wrote ${counted(queue.images.length, 'image')} to ${out}; label them with anyclass studio`,
      );
    }
    terminal.print(json ? queueText(queue) : queueList(queue, what));
    return queue;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    throw new UserError('Interrupted; nothing was written', { exitCode: interruption.exitCode() });
  }
}

function queueList({ images, among }: ImageQueue, what: string): string {
  const rows = images
    .slice(0, mostListed)
    .map(({ image, presence, outcome, labels }) => [
      (100 * presence).toFixed(1),
      outcome,
      labels.join(', '),
      image,
    ]);
  const more =
    images.length > mostListed ? [`… and ${(images.length - mostListed).toLocaleString('en-US')} more`] : [];
  return [
    `${counted(images.length, 'image')} of ${counted(among, 'image')}, ${what}`,
    '',
    alignedColumns(
      [['presence %', 'outcome', 'labels', 'image'], ...rows],
      ['right', 'left', 'left', 'left'],
    ),
    ...more,
  ].join('\n');
}
