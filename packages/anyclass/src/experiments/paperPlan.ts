// The runs behind the tables of arXiv 2506.05721: networks, losses and λ on each dataset, by recipe.

import { resultKey } from '../configuration/dottedFields.js';
import type { Settings } from '../configuration/overrides.js';
import {
  type PaperDataset,
  type PaperNetwork,
  paperDatasetOf,
  paperDatasets,
  paperRecipeName,
} from '../configuration/recipes.js';
import { UsageError } from '../errors/usageError.js';
import { comparedLosses, request } from './compare.js';
import type { ExperimentSettings } from './experiment.js';
import { planRuns } from './plan.js';
import type { PlannedRun } from './plannedRun.js';
import type { LossVariant } from './variants.js';

/** The loss tables of SewerML, ChestX-ray14 and COCO-41, the λ ablations, and all of them. */
export const paperTables = ['1', '2', '3', 'lambda', 'all'] as const;
export type PaperTable = (typeof paperTables)[number];

export interface PaperOptions extends ExperimentSettings {
  readonly table: PaperTable;
  /** `NAME=DIR`, one entry per dataset. */
  readonly data: readonly string[];
  /** A subset of the table's networks. Default: all. */
  readonly networks?: readonly string[] | undefined;
  /** Fields to set in all runs, by their dotted names. */
  readonly set?: Settings;
  /** Default 1: the paper trains one seed per setup. */
  readonly seeds?: readonly number[];
  /** Bootstrap replicates; 0 disables differences. Default 1000. */
  readonly replicates?: number;
}

/** The rows of a table that one recipe produces. */
export interface PaperPart {
  readonly dataset: PaperDataset;
  readonly network: PaperNetwork;
  readonly losses: readonly LossVariant[];
}

/**
 * Returns the parts of a table of the paper.
 *
 * @example
 * paperParts('2').map(({ dataset, network }) => `${dataset} ${network}`) // ['chestxray14 tresnet-l', 'chestxray14 maxvit-s']
 */
export function paperParts(table: PaperTable): readonly PaperPart[] {
  return table === 'all' ? Object.values(tables).flat() : tables[table];
}

/**
 * Plans all runs of a table. A loss table needs its dataset; the λ table covers the given datasets.
 *
 * @example
 * const plan = await planPaper({ table: '1', data: ['sewerml=data/sewerml'], out: 'paper' });
 * plan[0]?.name // 'sewerml-tresnet-l-bce-seed1'
 */
export async function planPaper(options: PaperOptions): Promise<PlannedRun[]> {
  const { table, data, networks, seeds = [1] } = options;
  const folders = namedFolders(data);
  const parts = chosenParts(table, folders, networks);
  const planned = new Map<string, PlannedRun>();
  for (const { dataset, network, losses } of parts) {
    const recipe = paperRecipeName({ dataset, network });
    const wanted = request({ ...options, seeds, config: recipe, data: folders.get(dataset) });
    const runs = await planRuns({ ...wanted, losses });
    for (const run of runs) {
      const twin = planned.get(run.name);
      if (twin && resultKey(twin.configuration) !== resultKey(run.configuration)) {
        throw new UsageError(
          `several networks would share the run name ${run.name}, because network.name is set; choose one network`,
          'networks',
        );
      }
      // An ablation shares the runs of its loss table.
      planned.set(run.name, twin ?? run);
    }
  }
  return [...planned.values()];
}

const lambdas = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

const tables: Readonly<Record<Exclude<PaperTable, 'all'>, readonly PaperPart[]>> = {
  '1': lossTable('sewerml', ['tresnet-l', 'vit-b-16', 'maxvit-s']),
  '2': lossTable('chestxray14', ['tresnet-l', 'maxvit-s']),
  '3': lossTable('coco-41', ['tresnet-l', 'maxvit-s']),
  lambda: [...paperDatasets.map((dataset) => ablation(dataset, 'bce')), ablation('sewerml', 'focal')],
};

function lossTable(dataset: PaperDataset, networks: readonly PaperNetwork[]): PaperPart[] {
  return networks.map((network) => ({ dataset, network, losses: comparedLosses }));
}

function ablation(dataset: PaperDataset, base: 'bce' | 'focal'): PaperPart {
  const swept = lambdas.map((lambda) => ({ name: `any-${base}`, set: { 'loss.lambda': lambda } }) as const);
  return { dataset, network: 'tresnet-l', losses: [{ name: base }, ...swept] };
}

/** Maps the paper's name of each dataset to its DATASET. */
function namedFolders(data: readonly string[]): ReadonlyMap<PaperDataset, string> {
  const folders = new Map<PaperDataset, string>();
  for (const text of data) {
    const name = paperDatasetOf(text);
    if (!name) {
      throw new UsageError(`'${text}' is not NAME=DIR with a NAME of ${paperDatasets.join(', ')}`, 'data');
    }
    if (folders.has(name)) throw new UsageError(`${name} is given twice`, 'data');
    folders.set(name, text);
  }
  return folders;
}

/** The parts whose data is given and whose network is selected; throws for data or networks in no part. */
function chosenParts(
  table: PaperTable,
  folders: ReadonlyMap<PaperDataset, string>,
  listed: readonly string[] | undefined,
): readonly PaperPart[] {
  const parts = paperParts(table);
  const what = table === 'all' ? 'the paper' : table === 'lambda' ? 'the λ ablation' : `table ${table}`;
  const known = [...new Set(parts.map(({ dataset }) => dataset))];
  const foreign = [...folders.keys()].find((name) => !known.includes(name));
  if (foreign) throw new UsageError(`${what} has no ${foreign}; it covers ${known.join(', ')}`, 'data');
  if (folders.size === 0) {
    throw new UsageError(`${what} needs ${known.map((name) => `${name}=DIR`).join(' or ')}`, 'data');
  }
  const trained = [...new Set(parts.map(({ network }) => network))];
  const unknown = listed?.find((name) => !trained.some((network) => network === name));
  if (unknown !== undefined) {
    throw new UsageError(`${what} has no '${unknown}'; its networks are ${trained.join(', ')}`, 'networks');
  }
  return parts.filter(
    ({ dataset, network }) => folders.has(dataset) && (listed === undefined || listed.includes(network)),
  );
}
