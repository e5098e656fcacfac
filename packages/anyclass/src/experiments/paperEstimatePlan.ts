// Estimates the remaining work of a whole plan, by dataset and network.

import { existsSync } from 'node:fs';
import { type ChildDevice, freeGpuMemory, runDevices } from '../children/devices.js';
import { assumedRate, type RunSize, runSeconds } from '../configuration/expectedTime.js';
import { imageSizeOf } from '../configuration/inputSize.js';
import { defined, preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { openPixels } from '../data/cache/openCache.js';
import { closeDataset } from '../data/dataset/dataset.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import { openPrepared } from '../data/openPrepared.js';
import { chooseSubset } from '../data/splits/subset.js';
import { networkCost } from '../networks/catalog.js';
import { readEpochs } from '../runs/metricsLog.js';
import { runPaths } from '../runs/runFolder.js';
import type { ExperimentSettings } from './experiment.js';
import { cacheBytes, runBytes } from './paperEstimate.js';
import type { PlannedRun } from './plannedRun.js';
import { freeBytes } from './prepareCaches.js';

/** Runs of one network on one dataset. */
export interface EstimatedRuns {
  readonly dataset: string;
  readonly network: string;
  readonly runs: number;
  /** How many of the runs are finished. */
  readonly finished: number;
  readonly epochs: number;
  /** Training images. */
  readonly images: number;
  readonly parameters: number;
  readonly imagesPerSecond: number;
  /** Whether the rate was measured in an epoch of one of these runs. */
  readonly isMeasured: boolean;
  /** Remaining time if the runs were trained one after another. */
  readonly seconds: number;
  /** Disk space that the folders of unfinished runs will take. */
  readonly bytes: number;
}

/** The estimate of a plan, as plain JSON. */
export interface PlanEstimate {
  readonly rows: readonly EstimatedRuns[];
  readonly devices: readonly string[];
  /** False if no GPU was found and the runs use the CPU. */
  readonly isOnGpu: boolean;
  /** Remaining time with all devices working in parallel; at least that of the longest run. */
  readonly seconds: number;
  readonly bytes: number;
  /** Free space on the disk that holds the runs. */
  readonly freeBytes: number;
  /** Disk space for the preprocessed images that are still missing. */
  readonly cacheBytes: number;
  readonly cacheFreeBytes: number;
}

/**
 * Estimates the time and disk space that a plan still needs. Rates come from epochs that runs of the plan
 * have completed; otherwise they are assumed.
 *
 * @example
 * const { seconds, bytes } = await estimatePlan(plan, { out: 'paper' });
 */
export async function estimatePlan(
  plan: readonly PlannedRun[],
  { out, devices, processes = 1, noPrepare = false }: ExperimentSettings,
): Promise<PlanEstimate> {
  const first = plan[0]!.configuration;
  const chosen = runDevices({ devices, processes }, first);
  const isOnGpu = chosen.some(hasGpu);
  const data = new Map<string, DataSize>();
  for (const { configuration } of plan) {
    const key = dataKey(configuration);
    if (!data.has(key)) data.set(key, await dataSize(configuration));
  }
  const rates = measuredRates(plan);
  const perRun = plan.map((run) => {
    const { name, size } = data.get(dataKey(run.configuration))!;
    const { network } = run.configuration;
    const measured = rates.get(rateKey(run));
    const rate =
      measured ??
      (isOnGpu
        ? processes * assumedRate(network, size.classes, 'gpu')
        : assumedRate(network, size.classes, 'cpu'));
    return {
      dataset: name,
      imagesPerSecond: rate,
      isMeasured: measured !== undefined,
      ...estimateRun(run, size, rate),
    };
  });
  const seconds = sum(perRun.map((run) => run.seconds));
  const longest = Math.max(...perRun.map((run) => run.seconds));
  const missing = noPrepare ? [] : [...data.values()];
  return {
    rows: groupRuns(perRun),
    devices: chosen.map(({ name }) => name),
    isOnGpu,
    seconds: Math.max(longest, seconds / chosen.length),
    bytes: sum(perRun.map((run) => run.bytes)),
    freeBytes: await freeBytes(out),
    cacheBytes: sum(missing.map((each) => each.cacheBytes)),
    cacheFreeBytes: await freeBytes(first.data.cache),
  };
}

interface EstimatedRun extends Omit<EstimatedRuns, 'runs' | 'finished'> {
  readonly isFinished: boolean;
}

function estimateRun({ folder, configuration }: PlannedRun, size: RunSize, rate: number) {
  const { network, epochs } = configuration;
  const isFinished = existsSync(runPaths(folder).summary);
  const done = isFinished ? epochs : Math.min(epochs, readEpochs(runPaths(folder).metrics).length);
  return {
    network: network.name,
    isFinished,
    epochs,
    images: size.train,
    parameters: networkCost(network.name, size.classes).parameters,
    seconds: runSeconds(epochs - done, size, rate),
    bytes: isFinished ? 0 : runBytes(configuration, size),
  };
}

/** The median rate over the completed epochs of the plan's runs, by network and image size. */
function measuredRates(plan: readonly PlannedRun[]): ReadonlyMap<string, number> {
  const rates = new Map<string, number[]>();
  for (const run of plan) {
    const own = readEpochs(runPaths(run.folder).metrics).map(({ imagesPerSecond }) => imagesPerSecond);
    if (own.length > 0) rates.set(rateKey(run), [...(rates.get(rateKey(run)) ?? []), ...own]);
  }
  return new Map(
    Array.from(rates, ([key, values]) => {
      const sorted = values.sort((a, b) => a - b);
      return [key, sorted[Math.floor(sorted.length / 2)]!];
    }),
  );
}

function rateKey({ configuration: { network } }: PlannedRun): string {
  return `${network.name} ${network.inputSize}`;
}

interface DataSize {
  readonly name: string;
  readonly size: RunSize;
  readonly cacheBytes: number;
}

async function dataSize({ data, network }: Configuration): Promise<DataSize> {
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    const { splits, labels, classes, names } = dataset;
    const { channels } = dataset.preparation;
    const trained = data.subset
      ? chooseSubset(splits.train, labels, defined(data.subset)).length
      : splits.train.length;
    const format = pixelFormat(imageSizeOf(network), dataset.preparation);
    const { pixels, state } = await openPixels(dataset, format, data.cache);
    await pixels.close();
    return {
      name: dataset.name,
      size: {
        classes: classes.length,
        train: trained,
        validation: splits.validation.length,
        test: splits.test.length,
      },
      cacheBytes: state.kind === 'complete' ? 0 : cacheBytes(names.length, imageSizeOf(network), channels),
    };
  } finally {
    await closeDataset(dataset);
  }
}

function dataKey({ data, network }: Configuration): string {
  return JSON.stringify([data, network.inputSize]);
}

function groupRuns(runs: readonly EstimatedRun[]): EstimatedRuns[] {
  const groups = new Map<string, EstimatedRun[]>();
  for (const run of runs) {
    const key = `${run.dataset} ${run.network}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((group) => {
    const { isFinished, ...shared } = group[0]!;
    return {
      ...shared,
      runs: group.length,
      finished: group.filter((run) => run.isFinished).length,
      seconds: sum(group.map((run) => run.seconds)),
      bytes: sum(group.map((run) => run.bytes)),
    };
  });
}

function hasGpu({ gpu }: ChildDevice): boolean {
  return gpu !== undefined && freeGpuMemory(gpu) !== undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
