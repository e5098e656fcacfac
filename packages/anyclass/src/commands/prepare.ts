import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { preparedOptions } from '../configuration/openOptions.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import { levelRemarks, surveySample } from '../data/images/levelSurvey.js';
import { closeDataset, type PrepareResult, prepareCache } from '../data/index.js';
import { openPrepared } from '../data/openPrepared.js';
import { failingTogether } from '../distribution/failure.js';
import { joinRanks, type Ranks } from '../distribution/ranks.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFolder } from '../files/outputs.js';
import { checkAddressSpace, decodingSpace } from '../inference/memory.js';
import { chosenData, datasetFields } from './datasetOptions.js';

const options = z.object({
  ...datasetFields,
  size: z.number().int().min(8).default(224).describe('width and height in pixels'),
  cache: z
    .string()
    .default('.anyclass/cache')
    .describe('folder that holds all caches')
    .meta({ placeholder: 'DIR' }),
  check: z.boolean().default(false).describe('reread every cached image and verify its checksum'),
  json: z.boolean().default(false).describe('print JSON'),
});

export const prepare = command({
  name: 'prepare',
  summary: 'Preprocess the images of a dataset once, into a cache that training reads',
  positionals: [{ field: 'dataset', placeholder: 'DATASET' }],
  examples: [
    ['anyclass prepare coco-41=data/coco', 'at 224 px into .anyclass/cache; run it again to resume'],
    ['anyclass prepare scans.csv --size 128 --check', 'also verify the checksums of cached images'],
  ],
  options,
  async run(given, terminal) {
    const ranks = await joinRanks();
    return failingTogether(ranks, () => prepareShare(ranks, given, terminal));
  },
});

/** Prepares this rank's share of the images; ranks that see the same cache folder share the work. */
async function prepareShare(
  ranks: Ranks | undefined,
  given: z.output<typeof options>,
  terminal: Terminal,
): Promise<PrepareResult> {
  const isFirst = ranks?.isFirst ?? true;
  const data = chosenData(given);
  checkOutputFolder('--cache', data.cache);
  checkAddressSpace(decodingSpace);
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  using interruption = interruptible(terminal, 'Stopping; press Ctrl-C again to quit immediately');
  const { signal } = interruption;
  try {
    if (dataset.features)
      throw new UserError(`${dataset.name} holds features, which need no preparation; train on it directly`);
    const { size, check, json } = given;
    const rows = Int32Array.from({ length: dataset.names.length }, (_, row) => row);
    if (isFirst) for (const remark of levelRemarks(await surveySample(dataset, rows))) terminal.note(remark);
    const result = await prepareCache(dataset, {
      format: pixelFormat(size, dataset.preparation),
      folder: data.cache,
      check,
      strict: data.strict,
      ranks,
      signal,
      onEvent: terminal.onEvent,
    });
    if (!isFirst) return result;
    for (const { name, reason } of result.quarantined) terminal.note(`skipped ${lineAbout(name, reason)}`);
    if (result.quarantined.length === result.rows)
      throw new UserError(`${dataset.name}: none of ${counted(result.rows, 'image')} could be read`);
    const mebibytes = (result.bytes / 2 ** 20).toFixed(1);
    const text = `${result.path}: ${counted(result.rows, 'image')}, ${result.decoded} decoded now, ${result.quarantined.length} skipped, ${mebibytes} MiB`;
    terminal.print(json ? JSON.stringify(result, null, 2) : text);
    return result;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError('Interrupted; run the same command again to resume', {
      exitCode: interruption.exitCode(),
    });
  } finally {
    await closeDataset(dataset);
  }
}
