// Where a process of predict writes, and whether it may.

import { knownDataset } from '../data/datasetSpec.js';
import type { Ranks } from '../distribution/ranks.js';
import { UsageError } from '../errors/usageError.js';
import { checkExplanationFolder } from '../explain/explanationFolder.js';
import { checkOutputFile, checkOutputFolder } from '../files/outputs.js';
import type { OutputFormat } from '../inference/outputFormats.js';
import { hasGroups } from './predictionGroups.js';
import { type PredictOptions, rankMark } from './predictOptions.js';

export interface PredictPlace {
  /** The file; undefined for standard output. */
  readonly out: string | undefined;
  /** Whether each rank writes its own file. */
  readonly isOwnFile: boolean;
  /** Whether this rank writes. */
  readonly isWriter: boolean;
}

/** @throws UsageError or UserError if something there must not be replaced, or cannot be divided among ranks */
export function predictPlace(
  given: PredictOptions & { readonly format: OutputFormat },
  ranks: Ranks | undefined,
): PredictPlace {
  const { paths, groupsOut, heatMaps } = given;
  const isOwnFile = given.out?.includes(rankMark) ?? false;
  const out = given.out?.replaceAll(rankMark, String(ranks?.rank ?? 0));
  const isWriter = ranks?.isFirst !== false || isOwnFile;
  if (ranks && paths.includes('-'))
    throw new UsageError('PATH…: - cannot be divided among processes; give files, folders or patterns');
  if (ranks && heatMaps !== undefined)
    throw new UsageError('cannot be combined with launch; write heat maps in one process', 'heatMaps');
  if (isOwnFile && hasGroups(given))
    throw new UsageError(`--out with ${rankMark} divides groups among files; leave it out of the name`);
  if (out !== undefined && isWriter) checkFile('--out', out, given);
  if (groupsOut !== undefined && isWriter) checkFile('--groups-out', groupsOut, given);
  if (heatMaps !== undefined) {
    checkOutputFolder('--heat-maps', heatMaps);
    checkExplanationFolder(heatMaps);
  }
  return { out, isOwnFile, isWriter };
}

/** The kind of file that each format writes; without `--force`, only a file of the same kind is replaced. */
const outputKinds = {
  csv: 'a table of predictions',
  sewerml: 'a table of scores',
  jsonl: 'predictions as JSON lines',
} as const;

function checkFile(
  flag: string,
  out: string,
  { format, model, paths, force }: PredictOptions & { readonly format: OutputFormat },
): void {
  checkOutputFile(flag, out, {
    kind: outputKinds[format],
    inputs: [model, ...paths.map((path) => knownDataset(path)?.folder ?? path)],
    force,
  });
}
