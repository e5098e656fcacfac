// Greedy soups: the weights of several runs are averaged as long as that improves validation. Wortsman et al., "Model soups", arXiv
// 2203.05482. Runs that started from the same weights average well; networks trained from scratch with different seeds do not.

import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Candidates } from '@anyclass/core';
import { noGrad, Tensor, tidy } from '@anyclass/torch';
import { runCandidates } from '../configuration/candidates.js';
import type { Configuration } from '../configuration/schema.js';
import { deviceBatch } from '../data/batches/deviceBatch.js';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import type { BestMetric } from '../events/bestMetric.js';
import type { Network } from '../networks/network.js';
import { loadModel } from '../runs/modelFile.js';
import { createRunFolder, openRun, type RunRecord, refuseOldRun, saveRunRecord } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { readSummary } from '../runs/summary.js';
import {
  type ActiveRun,
  activeRun,
  reportingFailure,
  type TrainingResult,
  type TrainOptions,
} from './activeRun.js';
import { openRunData } from './dataForRun.js';
import { finishRun } from './finishRun.js';
import { isLowerBetter, metricValue } from './progress.js';
import { runVersions } from './runAgreement.js';
import { createSession, type Session } from './session.js';
import { validate } from './validate.js';

export interface SoupOptions extends Pick<TrainOptions, 'onEvent' | 'signal' | 'onJudged'> {
  /** The folder for the soup, which is a run like any other. */
  readonly out: string;
  /** The metric on validation that decides. Default: `bestBy` of the first run. */
  readonly by?: BestMetric | undefined;
}

/** A soup, and the runs that are in it. */
export interface SoupResult extends TrainingResult {
  readonly kept: readonly string[];
  /** The metric on validation: of each run alone, and of the soup. */
  readonly by: BestMetric;
  readonly values: Readonly<Record<string, number | null>>;
  readonly value: number | null;
}

/**
 * Averages the weights of finished runs: begins with the best on validation, and adds the others, best first, where that
 * improves validation. The promise of the result counts all averages that could have come out.
 *
 * @example
 * const { kept, summary } = await soupRuns(['runs/a', 'runs/b', 'runs/c'], { out: 'runs/soup' });
 */
export async function soupRuns(runs: readonly string[], options: SoupOptions): Promise<SoupResult> {
  const ingredients = openIngredients(runs);
  const [first] = ingredients;
  const configuration = soupConfiguration(ingredients);
  const by = options.by ?? configuration.bestBy;
  const run = activeRun(options.out, options);
  return reportingFailure(run, async () => {
    refuseOldRun(options.out, false);
    const data = await openRunData(configuration, {}, run.note);
    try {
      mkdirSync(options.out, { recursive: true });
      using _lock = lockRun(options.out);
      using session = createSession(configuration, data);
      session.progress.epoch = Math.max(...ingredients.map(({ epochs }) => epochs));
      createRunFolder(options.out);
      const { kept, values, value } = await cook(session, run, ingredients, by);
      const summary = await finishRun(session, run);
      // Last, so that a soup that was interrupted is not taken for a run.
      saveRunRecord(run.paths, {
        ...first!.record,
        configuration,
        versions: runVersions(),
        started: new Date().toISOString(),
        soup: { runs: ingredients.map(({ folder }) => folder), kept },
      });
      await options.onJudged?.(options.out, data.dataset);
      return { folder: options.out, ...(summary && { summary }), kept, by, values, value };
    } finally {
      await data.close();
    }
  });
}

interface Ingredient {
  readonly folder: string;
  readonly record: RunRecord;
  readonly epochs: number;
}

/** Opens the runs, and refuses those that cannot be averaged. */
function openIngredients(runs: readonly string[]): Ingredient[] {
  if (runs.length < 2) throw new UserError(`there is ${runs.length} run; a soup needs two or more`);
  const twice = runs.find((folder, i) =>
    runs.some((other, j) => j < i && resolve(other) === resolve(folder)),
  );
  if (twice !== undefined) throw new UserError(`${twice} is given twice; a soup averages different runs`);
  const ingredients = runs.map((folder) => {
    const { paths, record } = openRun(folder);
    if (!existsSync(paths.summary))
      throw new UserError(`${folder}: the run is not finished; resume it`, { next: resumeCommand(folder) });
    return { folder, record, epochs: readSummary(paths).epochs };
  });
  const [first, ...others] = ingredients;
  for (const { folder, record } of others) {
    const differs = (what: string) =>
      new UserError(`${folder} and ${first!.folder} cannot be averaged: ${what}`);
    if (record.datasetFingerprint !== first!.record.datasetFingerprint)
      throw differs('their data or splits differ');
    if (shapeOf(record) !== shapeOf(first!.record)) throw differs('their networks differ');
  }
  return ingredients;
}

function shapeOf({ configuration: { network, data }, classes }: RunRecord): string {
  const { weights: _, freezeTrunk, frozenEpochs, trunkRate, layerRate, ...shape } = network;
  return JSON.stringify([shape, classes, data.mean, data.std, data.channels, data.window]);
}

/** The first run's configuration, for weights that are chosen among all averages of some of the runs. */
function soupConfiguration(ingredients: readonly Ingredient[]): Configuration {
  const { configuration } = ingredients[0]!.record;
  const { averageDecay: _, patience: __, teacher: ___, ...kept } = configuration;
  const { evaluation } = configuration;
  return {
    ...kept,
    finalWeights: 'last',
    evaluation: {
      ...evaluation,
      decision: { ...evaluation.decision, candidates: soupCandidates(ingredients) },
    },
  };
}

/**
 * A soup is the average of some of the runs, each with the weights that validation chose among its own candidates, or without
 * them: Π (1 + candidates) - 1 soups could come out.
 *
 * @example
 * soupCandidates(threeRunsThatKeepTheirLastWeights) // 7
 */
export function soupCandidates(
  ingredients: readonly { readonly record: Pick<RunRecord, 'configuration'>; readonly epochs: number }[],
): Candidates {
  let product = 1;
  for (const { record, epochs } of ingredients) {
    const own = runCandidates(record.configuration, epochs);
    if (own === 'adaptive') return own;
    product *= 1 + own;
  }
  // More than any number of rows could promise with.
  return product > 2 ** 31 ? 'adaptive' : product - 1;
}

/** Leaves the soup's weights in the session's network. */
async function cook(
  session: Session,
  run: ActiveRun,
  ingredients: readonly Ingredient[],
  by: BestMetric,
): Promise<Pick<SoupResult, 'kept' | 'values' | 'value'>> {
  const score = async () => {
    session.validated = undefined;
    return metricValue(await validate(session, run), by);
  };
  const alone: { readonly folder: string; readonly value: number | null }[] = [];
  for (const { folder } of ingredients) {
    useWeights(session.network, [folder]);
    const value = await score();
    run.note(`${folder}: ${by} ${shown(value)} on validation`);
    alone.push({ folder, value });
  }
  const isBetter = (value: number | null, than: number | null) =>
    value !== null && (than === null || (isLowerBetter(by) ? value < than : value > than));
  const ranked = alone.toSorted(
    (a, b) => Number(isBetter(b.value, a.value)) - Number(isBetter(a.value, b.value)),
  );
  const best = ranked[0]!.folder;
  let { value } = ranked[0]!;
  let kept: readonly string[] = [best];
  let inNetwork: readonly string[] = [];
  for (const { folder } of ranked.slice(1)) {
    inNetwork = [...kept, folder];
    await averaged(session, inNetwork);
    const tried = await score();
    const helps = isBetter(tried, value);
    run.note(`with ${folder}: ${by} ${shown(tried)}, ${helps ? 'kept' : 'left out'}`);
    if (!helps) continue;
    kept = inNetwork;
    value = tried;
  }
  if (inNetwork !== kept) await averaged(session, kept);
  session.validated = undefined;
  if (kept.length === 1)
    run.note(
      `No average is better than ${best}, so the soup has its weights. Runs that start from the same weights (network.weights) average better than runs from scratch`,
    );
  return { kept, value, values: Object.fromEntries(alone.map((one) => [one.folder, one.value])) };
}

async function averaged(session: Session, folders: readonly string[]): Promise<void> {
  useWeights(session.network, folders);
  if (folders.length > 1) await estimateNorms(session);
}

/** Gives a network the mean of the weights of some runs. */
export function useWeights(network: Network, folders: readonly string[]): void {
  const own = network.stateDict();
  folders.forEach((folder, i) => {
    using model = loadModel(folder).network;
    tidy(() =>
      noGrad(() => {
        for (const [name, tensor] of model.stateDict()) {
          const target = own.get(name)!;
          const value = tensor.to(target.dtype).to(target.device);
          // Batch counters are integers, and are copied. The mean of the first i + 1 from that of the first i.
          if (i === 0 || target.dtype === 'int64') target.copy_(value);
          else target.lerp_(value, 1 / (i + 1));
        }
      }),
    );
  });
}

/** Batches after which the statistics of batch norms, which average the newest ones, forget those from before. */
const normBatches = 60;

/** The mean of several networks' batch statistics is not what its layers see, so they are estimated anew. */
async function estimateNorms({ network, data, loader, settings, configuration }: Session): Promise<void> {
  const norms = [...network.namedModules()]
    .map(([, module]) => module)
    .filter((module) => hasStatistics(module));
  const { format } = data.inputs;
  if (norms.length === 0 || isFeatureFormat(format)) return;
  const { mean, std } = data.preparation;
  network.eval();
  for (const norm of norms) norm.training = true;
  let done = 0;
  for (let epoch = 0; done < normBatches; epoch++) {
    for await (using batch of loader.epoch(epoch)) {
      const options = { format, device: settings.device, mean, std, seed: configuration.seed };
      if (batch.size > 1) tidy(() => noGrad(() => network.forward(deviceBatch(batch, options).inputs)));
      if (++done === normBatches) break;
    }
  }
  network.eval();
}

function hasStatistics(module: object): boolean {
  return 'runningMean' in module && module.runningMean instanceof Tensor;
}

function shown(value: number | null): string {
  return value === null ? 'is undefined' : value.toFixed(4);
}
