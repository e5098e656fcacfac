// Loads weights from a file into a network, and reports every name that was not used.

import { fromStored, noGrad, type StoredTensor, type Tensor, tidy } from '@anyclass/torch';
import { listed } from '../../errors/listed.js';
import { UserError } from '../../errors/userError.js';
import { refuseBrokenWeights } from '../brokenWeights.js';
import { definitionOf } from '../catalog.js';
import type { NamingConvention } from '../definition.js';
import type { Network } from '../network.js';
import { adaptStem } from './adaptStem.js';
import { matchNames, type NameMatch } from './matchNames.js';
import { readWeightFile } from './readWeights.js';

export interface WeightReport {
  readonly file: string;
  /** The naming convention of the file. */
  readonly naming: string;
  /** The prefix of the file's names, such as `model.`. */
  readonly prefix: string;
  /** The key under which a PyTorch checkpoint has them; left out if they are the whole file. */
  readonly key?: string;
  /** Keys under which it has other weights, such as averaged ones, that were not read. */
  readonly others: readonly string[];
  /** How many of the network's entries were filled. */
  readonly loaded: number;
  /** The share of the values before the last layer that the file has. */
  readonly share: number;
  /** Position tables that were interpolated to another size. */
  readonly resized: readonly string[];
  /** The first convolution, if it was trained for another number of channels. */
  readonly adapted: readonly string[];
  /** Entries of the last layer that keep their initial values, since the file has other classes, another head or none. */
  readonly freshHead: readonly string[];
  /** Other entries that the file lacks; they keep their initial values. */
  readonly missing: readonly string[];
  /** Entries with another shape in the file, with both shapes; they keep their initial values. */
  readonly misshapen: readonly string[];
  /** Names in the file that match nothing in the network. */
  readonly unused: readonly string[];
  /** Those of them that go on where the network ends, such as the third block of a stage that has two here: the file is for a larger one. */
  readonly further: readonly string[];
}

export interface LoadWeightsOptions {
  /** Throws unless everything except the last layer is found and nothing is left over. Default false. */
  readonly strict?: boolean;
}

/**
 * Fills a network from a safetensors file or a PyTorch checkpoint with torchvision's, timm's or the published TResNet's
 * names, after any prefix. If the number of classes differs, the last layer keeps its initial values.
 *
 * @example
 * const report = loadWeights(createNetwork('vit-b-16', { classes: 17 }), 'vit_b_16-c867db91.pth');
 * report.freshHead // ['heads.head.weight', 'heads.head.bias']
 */
export function loadWeights(
  network: Network,
  path: string,
  { strict = false }: LoadWeightsOptions = {},
): WeightReport {
  const { tensors, key, others = [] } = readWeightFile(path);
  const report = { ...fillFrom(network, tensors, path), ...(key !== undefined && { key }), others };
  if (report.loaded === 0) {
    throw new UserError(
      `${path}: none of its ${report.unused.length} names matches ${network.name}, such as ${listed(report.unused)}`,
    );
  }
  refuseBrokenWeights(network, path);
  const lost = [...report.missing, ...report.misshapen, ...report.unused];
  if (strict && lost.length > 0)
    throw new UserError(`${path} does not fit ${network.name}:\n${weightReportText(report)}`);
  return report;
}

/**
 * Throws if a good part of a network was not in the file, or the file has further layers: most likely it belongs to another network.
 *
 * @example
 * refuseOtherNetwork(network, loadWeights(network, 'resnet50-11ad3fa6.pth')); // UserError for resnet-18
 */
export function refuseOtherNetwork({ name }: Network, report: WeightReport): void {
  const { file, share, further } = report;
  if (share >= 0.9 && further.length === 0) return;
  const problem =
    share < 0.9
      ? `has only ${Math.floor(100 * share)}% of the weights of ${name}`
      : `is for a deeper network than ${name}, which ends before ${further[0]}`;
  throw new UserError(
    `${file} ${problem}; set network.name to the network that it is for:\n${weightReportText(report)}`,
  );
}

/** Describes what was loaded and what was not. */
export function weightReportText(report: WeightReport): string {
  const {
    file,
    naming,
    prefix,
    key,
    others,
    loaded,
    resized,
    adapted,
    freshHead,
    missing,
    misshapen,
    unused,
  } = report;
  const behind = prefix === '' ? '' : ` after '${prefix}'`;
  const under = key === undefined ? '' : `, under '${key}'`;
  const lines = [
    [`other weights in the file, not read: ${listed(others)}`, others],
    [`interpolated to this input size: ${listed(resized)}`, resized],
    [`adapted to this number of channels: ${listed(adapted)}`, adapted],
    [
      `last layer reinitialized, because the file has none for these classes: ${listed(freshHead)}`,
      freshHead,
    ],
    [`not in the file, keeps its initial values: ${listed(missing)}`, missing],
    [`different shape in the file, keeps its initial values: ${listed(misshapen)}`, misshapen],
    [`in the file but unused: ${listed(unused)}`, unused],
  ] as const;
  const remarks = lines.filter(([, names]) => names.length > 0).map(([line]) => `  ${line}`);
  return [`${file}: ${loaded} entries loaded (${naming}${behind}${under})`, ...remarks].join('\n');
}

function fillFrom(
  network: Network,
  tensors: ReadonlyMap<string, StoredTensor>,
  file: string,
): Omit<WeightReport, 'key' | 'others'> {
  const state = network.stateDict();
  const { weights: rules } = definitionOf(network);
  const match = matchNames(rules.conventions ?? [], [...tensors.keys()], new Set(state.keys()));
  refuseOtherOptions(network, match, file);
  const report = {
    resized: [] as string[],
    adapted: [] as string[],
    freshHead: [] as string[],
    missing: [] as string[],
    misshapen: [] as string[],
  };
  const valuesOf = (name: string) => {
    const stored = tensors.get(match.pairs.get(name) ?? '');
    return stored && fromStored(stored);
  };
  const isOtherHead = otherHeads(network, tensors, match);
  let loaded = 0;
  const size = { whole: 0, lost: 0 };
  for (const [name, entry] of state) {
    const stored = tensors.get(match.pairs.get(name) ?? '');
    if (rules.isComputed?.(name)) continue;
    if (!name.startsWith(network.headPrefix)) size.whole += entry.numel;
    if (isOtherHead(name)) {
      report.freshHead.push(name);
    } else if (fillParts(name, entry, tensors, match)) {
      loaded++;
    } else if (stored === undefined) {
      if (isBatchCounter(name) || rules.hasDefault?.(name)) continue;
      report.missing.push(name);
      size.lost += entry.numel;
    } else {
      const regroup = (values: Tensor) => rules.regroup?.(name, values, valuesOf) ?? values;
      const filled = fill(
        { name, entry, stored, regroup },
        match.convention,
        converterOf(name, match, network),
      );
      if (filled !== 'not') loaded++;
      if (filled === 'converted') report[name === rules.stem ? 'adapted' : 'resized'].push(name);
      if (filled === 'not') {
        size.lost += entry.numel;
        report.misshapen.push(`${name} [${stored.shape.join(', ')}] instead of [${entry.shape.join(', ')}]`);
      }
    }
  }
  const { convention, prefix, unused } = match;
  const share = 1 - size.lost / size.whole;
  const further = furtherLayers(network, match);
  return { file, naming: convention.title, prefix, loaded, share, unused, further, ...report };
}

/** Finds the unused names that differ from those of the network's trunk only in their numbers. */
function furtherLayers({ headPrefix }: Network, { pairs, unused }: NameMatch): string[] {
  const kindOf = (name: string) => name.replaceAll(/\d+/g, '#');
  const trunk = [...pairs].filter(([own]) => !own.startsWith(headPrefix));
  const kinds = new Set(trunk.map(([, fileName]) => kindOf(fileName)));
  return unused.filter((name) => kinds.has(kindOf(name)) && !isBatchCounter(name));
}

function refuseOtherOptions(
  { name, options }: Network,
  { convention, pairs }: NameMatch,
  file: string,
): void {
  const own: ReadonlyMap<string, unknown> = new Map(Object.entries(options));
  for (const [option, value] of Object.entries(convention.needs ?? {})) {
    if (pairs.size === 0 || own.get(option) === value) continue;
    throw new UserError(
      `${file} has ${convention.title}, which are for ${name} with network.${option} '${value}'; this one has '${String(own.get(option))}'`,
      { setting: `network.${option}=${value}` },
    );
  }
}

/** Tells the entries of the last layer whose layer does not fit the file as a whole: a bias belongs to its weight. */
function otherHeads(
  network: Network,
  tensors: ReadonlyMap<string, StoredTensor>,
  { pairs }: NameMatch,
): (name: string) => boolean {
  const layerOf = (name: string) => name.slice(0, name.lastIndexOf('.'));
  const entries = [...network.stateDict()].filter(([name]) => name.startsWith(network.headPrefix));
  const others = entries.filter(([name, entry]) => {
    const stored = tensors.get(pairs.get(name) ?? '');
    return !stored || !sameSizes(entry, stored);
  });
  const layers = new Set(others.map(([name]) => layerOf(name)));
  return (name) => name.startsWith(network.headPrefix) && layers.has(layerOf(name));
}

interface Filling {
  readonly name: string;
  readonly entry: Tensor;
  readonly stored: StoredTensor;
  readonly regroup?: (values: Tensor) => Tensor;
}

/** Copies a stored tensor into an entry, converted to its shape if necessary and possible. */
function fill(
  { name, entry, stored, regroup = (values) => values }: Filling,
  convention: NamingConvention,
  convert: Converter,
): 'copied' | 'converted' | 'not' {
  return tidy(() =>
    noGrad(() => {
      const values = regroup(fromStored(stored));
      const isAlike = sameSizes(entry, values);
      const fitting = isAlike ? values.view(entry.shape) : convert(values.to('float32'), entry);
      if (fitting === undefined) return 'not';
      entry.copy_(fitting);
      const offset = convention.offset?.(name, values) ?? 0;
      if (offset !== 0) entry.add_(offset);
      return isAlike ? 'copied' : 'converted';
    }),
  );
}

const mostParts = 3;

/** Fills an entry that the file stores in parts, such as queries, keys and values; returns false if it does not. */
function fillParts(
  name: string,
  entry: Tensor,
  tensors: ReadonlyMap<string, StoredTensor>,
  { pairs, convention }: NameMatch,
): boolean {
  const size = (entry.shape[0] ?? 0) / mostParts;
  const parts = Array.from({ length: mostParts }, (_, i) => ({
    stored: tensors.get(pairs.get(`${name}#${i}/${mostParts}`) ?? ''),
    start: i * size,
  }));
  const filled = parts.map(({ stored, start }) =>
    tidy(
      () =>
        stored && fill({ name, entry: entry.narrow(0, start, size), stored }, convention, () => undefined),
    ),
  );
  return filled.includes('copied') && !filled.includes('not');
}

/** Converts values of another shape to an entry's; returns undefined if that is impossible. */
type Converter = (values: Tensor, entry: Tensor) => Tensor | undefined;

function converterOf(name: string, { convention }: NameMatch, network: Network): Converter {
  const { weights: rules } = definitionOf(network);
  if (name === rules.stem) return (values, entry) => stemFor(values, entry, network.options.channels);
  const resize = convention.resize ?? rules.resize;
  return (values, entry) => {
    if (values.shape.at(-1) !== entry.shape.at(-1) || values.ndim !== entry.ndim) return undefined;
    return resize?.(name, values, entry);
  };
}

function stemFor(values: Tensor, entry: Tensor, channels: number): Tensor | undefined {
  const [outputs, inputs = 0, ...kernel] = values.shape;
  const [ownOutputs, ownInputs = 0, ...ownKernel] = entry.shape;
  if (outputs !== ownOutputs || kernel.join() !== ownKernel.join()) return undefined;
  const perChannel = ownInputs / channels;
  const from = inputs / perChannel;
  // A stem with squares of another size would look like one for many channels, so only gray and RGB are accepted there.
  const isClear = perChannel === 1 || from === 1 || from === 3;
  return isClear ? adaptStem(values, { from, to: channels }) : undefined;
}

/** Older files lack the batch norms' counters, which nothing here depends on. */
function isBatchCounter(name: string): boolean {
  return name.endsWith('.num_batches_tracked');
}

/** Whether shapes are the same but for sizes of 1: a product can be stored as a 1x1 convolution, a scale as [channels, 1, 1]. */
function sameSizes(entry: Tensor, values: Pick<Tensor, 'shape'>): boolean {
  const sizes = (shape: readonly number[]) => shape.filter((size) => size !== 1).join();
  return sizes(entry.shape) === sizes(values.shape);
}
