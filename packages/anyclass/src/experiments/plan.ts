// Plans the runs of an experiment: every combination of data, network, loss and seed, from one configuration.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { oneOf } from '../configuration/candidates.js';
import { resultKey } from '../configuration/dottedFields.js';
import { joinedSettings, type Settings } from '../configuration/overrides.js';
import { recipeFor } from '../configuration/recipes.js';
import type { Configuration } from '../configuration/schema.js';
import { datasetFolders, datasetName, parseDataset } from '../data/datasetSpec.js';
import { UsageError } from '../errors/usageError.js';
import { isAnyClass } from '../losses/lossNames.js';
import { absolutePaths } from '../runs/runFolder.js';
import { inputFitter } from '../training/fitInput.js';
import { readConfiguration } from '../training/readConfiguration.js';
import type { PlannedRun } from './plannedRun.js';
import { atKnownFolders } from './runState.js';
import {
  checkSeeds,
  type DataVariant,
  type LossVariant,
  type NetworkVariant,
  variantText,
} from './variants.js';

export interface ExperimentRequest {
  /** A configuration file or recipe, as for `train`. */
  readonly config: string;
  /** A DATASET to use instead of the configuration's. */
  readonly data?: string | undefined;
  readonly set?: Settings | undefined;
  /** Each list defaults to what the configuration names. */
  readonly datasets?: readonly DataVariant[] | undefined;
  readonly networks?: readonly NetworkVariant[] | undefined;
  readonly losses?: readonly LossVariant[] | undefined;
  readonly seeds: readonly number[];
  /** The folder that holds all runs. */
  readonly out: string;
}

/**
 * Returns the runs of an experiment. If `config` is one of the paper's recipes, each run uses the recipe for
 * its own data and network. A dataset's settings are applied first, then the network's, and the loss's last.
 * A run that already exists under another name keeps that name.
 *
 * @param onRemark is told, once for each network and dataset, which input size fits, and why
 *
 * @example
 * const runs = await planRuns({ config: 'quick', losses: [{ name: 'bce' }, { name: 'any-bce' }], seeds: [1], out: 'out' });
 * runs.map(({ name }) => name) // ['digits-tresnet-s-bce-seed1', 'digits-tresnet-s-any-bce@lambda=0.02-seed1']
 */
export async function planRuns(
  request: ExperimentRequest,
  onRemark: (text: string) => void = () => {},
): Promise<PlannedRun[]> {
  const { config, data: given, set, datasets, networks, losses, seeds, out } = request;
  checkSeeds(seeds);
  const planned: VariedRun[] = [];
  const fitInput = inputFitter();
  const remarks = new Set<string>();
  for (const data of optional(datasets)) {
    for (const network of optional(networks)) {
      for (const loss of optional(losses)) {
        for (const seed of seeds) {
          const dataset = data?.name ?? given;
          const read = await readConfiguration(recipeFor(config, { dataset, network: network?.name }), {
            dataset,
            set: joinedSettings(
              set,
              data?.set,
              network && { 'network.name': network.name, ...network.set },
              loss && { 'loss.name': loss.name, ...loss.set },
              { seed },
            ),
          });
          planned.push({
            configuration: await fitInput(absolutePaths(read), (text) =>
              remarks.add(`${read.network.name}, ${text}`),
            ),
            variants: [data, network, loss],
          });
        }
      }
    }
  }
  // Runs on other data have other validation images.
  const countOn = ({ data }: Configuration) =>
    planned.filter(({ configuration }) => configuration.data.dataset === data.dataset).length;
  const dataName = dataNames(planned.map(({ configuration }) => configuration.data.dataset));
  const runs = planned.map(({ configuration, variants }) => {
    const name = runName(configuration, variants, dataName(configuration.data.dataset));
    return { name, folder: join(out, name), configuration: oneOf(configuration, countOn(configuration)) };
  });
  refuseTwins(planned);
  const twice = runs.find(({ name }, i) => runs.findIndex((other) => other.name === name) < i);
  if (twice) throw new UsageError(`two different runs would share the folder ${twice.folder}`);
  for (const remark of remarks) onRemark(remark);
  return atKnownFolders(runs, out);
}

function optional<Variant>(variants: readonly Variant[] | undefined): readonly (Variant | undefined)[] {
  return variants === undefined || variants.length === 0 ? [undefined] : variants;
}

/** The variants a run was made from: data, network and loss, each undefined if it was not listed. */
type RunVariants = readonly [DataVariant | undefined, NetworkVariant | undefined, LossVariant | undefined];

interface VariedRun {
  readonly configuration: Configuration;
  readonly variants: RunVariants;
}

/** One configuration given in two ways, such as any-bce and any-bce with its default α, would be trained twice. */
function refuseTwins(runs: readonly VariedRun[]): void {
  const seen = new Map<string, VariedRun>();
  for (const run of runs) {
    const key = resultKey(run.configuration);
    const twin = seen.get(key);
    if (twin) {
      const [first, second] = [textOf(twin), textOf(run)];
      const who =
        first === second ? `'${first}' is listed twice` : `'${first}' and '${second}' are the same run`;
      throw new UsageError(`${who} (no field differs); leave one of them out`);
    }
    seen.set(key, run);
  }
}

function textOf({ variants: [data, network, loss] }: VariedRun): string {
  return [
    ...(data ? [variantText(data, 'data')] : []),
    ...(network ? [variantText(network, 'network')] : []),
    ...(loss ? [variantText(loss, 'loss')] : []),
  ].join(' ');
}

/** Many systems reject longer file names. */
const longestName = 200;

/**
 * The name always includes λ for an any-class loss, so that an experiment that sets λ finds the runs of one
 * that used the configuration's value.
 */
function runName(
  { data, network, loss, seed }: Configuration,
  [dataVariant, networkVariant, lossVariant]: RunVariants,
  dataName: string,
): string {
  const settings = (variant: DataVariant | undefined) =>
    Object.entries(variant?.set ?? {})
      .filter(([field]) => field !== 'loss.lambda')
      .map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  const kept = data.keep && !dataVariant ? [data.keep.join('+')] : [];
  const lambda = isAnyClass(loss.name) ? [`lambda=${loss.lambda}`] : [];
  const about = fileName([dataName, ...kept, ...settings(dataVariant)].join('@'));
  const rest = fileName(
    [
      [network.name, ...settings(networkVariant)].join('@'),
      [loss.name, ...lambda, ...settings(lossVariant)].join('@'),
      `seed${seed}`,
    ].join('-'),
  );
  return `${shortened(about, longestName - rest.length - 1)}-${rest}`;
}

function fileName(text: string): string {
  return text.replaceAll(/["[\]{}]/g, '').replaceAll(/[^a-zA-Z0-9._@=+-]+/g, '_');
}

/** Shortens text such as a long list of classes to its start and a few digits of a hash of the whole. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const digits = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${text.slice(0, Math.max(0, most - 9))}~${digits}`;
}

/**
 * Returns a dataset's name for run names, with as many of its folders as it takes to tell it from the others.
 */
function dataNames(datasets: readonly string[]): (dataset: string) => string {
  const withFolders = (dataset: string, count: number) => {
    const spec = parseDataset(dataset);
    const folders = count === 0 ? [] : datasetFolders(spec).slice(-count);
    return [...folders, datasetName(spec)].join('+');
  };
  return (dataset) => {
    const spec = parseDataset(dataset);
    for (let count = 0; count <= datasetFolders(spec).length; count++) {
      const name = withFolders(dataset, count);
      if (datasets.every((other) => other === dataset || withFolders(other, count) !== name)) return name;
    }
    return `${datasetName(spec)}~${createHash('sha256').update(dataset).digest('hex').slice(0, 8)}`;
  };
}
