// The optimizer and the schedule that a configuration specifies.

import { optim, type Tensor } from '@anyclass/torch';
import { ratesOf } from '../configuration/optimizerDefaults.js';
import type { Configuration } from '../configuration/schema.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { definitionOf } from '../networks/catalog.js';
import { isInFirstStages } from '../networks/fineTuning.js';
import type { Network } from '../networks/network.js';

/**
 * Creates the optimizer for a network's trainable parameters: the last layer at the configured rate, the
 * trunk at a fraction of it, earlier layers at smaller fractions still if network.layerRate is below 1.
 *
 * @example
 * createOptimizer(network, configuration).groups.length // 1, or 2 if network.trunkRate is not 1
 */
export function createOptimizer(network: Network, configuration: Configuration): optim.Optimizer {
  const { name, momentum, nesterov, betas, decayNorms } = configuration.optimizer;
  const all = parameterGroups(network, configuration);
  const groups = decayNorms ? all : withoutDecay(all);
  const { rate, weightDecay } = ratesOf(configuration.optimizer);
  return name === 'sgd'
    ? new optim.SGD(groups, { lr: rate, momentum, nesterov, weightDecay })
    : new optim.AdamW(groups, { lr: rate, betas, weightDecay });
}

/**
 * Creates the schedule of the learning rate: a function of the epoch, with a fraction within it.
 *
 * @example
 * createSchedule(configuration)(0, 0.1) // the rate of the first epoch
 */
export function createSchedule({ schedule, epochs }: Configuration): optim.Schedule {
  const { name, milestones, factor, firstCycle, cycleFactor, floor, warmUpEpochs, warmUpFactor } = schedule;
  const main: optim.Schedule =
    name === 'steps'
      ? optim.multiStep({ milestones, gamma: factor })
      : name === 'cosine'
        ? optim.cosineWarmRestarts({
            T0: firstCycle ?? Math.max(1, epochs - warmUpEpochs),
            Tmult: cycleFactor,
            floor,
          })
        : (_, baseRate) => baseRate;
  if (warmUpEpochs === 0) return main;
  return optim.sequence(
    [optim.linearWarmUp({ epochs: warmUpEpochs, startFactor: warmUpFactor }), main],
    [warmUpEpochs],
  );
}

/**
 * A warning if a warm-up by epoch takes much of a run: its first epoch has the starting rate to its end.
 *
 * @example
 * warmUpWarning(configuration) // ['warning: the first of 6 epochs trains at 0.01 of the rate …']
 */
export function warmUpWarning({ schedule, epochs }: Configuration): string[] {
  const { every, warmUpEpochs, warmUpFactor } = schedule;
  if (every === 'step' || warmUpEpochs === 0 || 10 * warmUpEpochs < epochs) return [];
  return [
    `warning: the first of ${counted(epochs, 'epoch')} trains at ${warmUpFactor} of the rate to its end, because schedule.every is epoch; step warms up from step to step`,
  ];
}

/** The part that an epoch trains: only the last layer if the trunk is frozen. Epochs count from 0. */
export function trainedPart({ network }: Configuration, epoch: number): 'lastLayer' | 'everything' {
  return network.freezeTrunk || epoch < network.frozenEpochs ? 'lastLayer' : 'everything';
}

/** Prepares a network for an epoch. Where it is frozen, neither the weights nor the batch statistics change. */
export function setTrainingMode(
  network: Network,
  part: ReturnType<typeof trainedPart>,
  frozenStages = 0,
): void {
  const isFrozen = (name: string) =>
    part === 'lastLayer' ? !isHead(name, network) : isInFrozenStage(name, network, frozenStages);
  network.train();
  for (const [name, parameter] of network.namedParameters()) parameter.requiresGrad = !isFrozen(name);
  for (const [name, module] of network.namedModules()) {
    if (name !== '' && isFrozen(`${name}.`)) module.training = false;
  }
}

interface Group {
  readonly params: Tensor[];
  readonly lr: number;
  readonly weightDecay?: number;
}

function parameterGroups(network: Network, configuration: Configuration): Group[] {
  const { freezeTrunk, trunkRate, layerRate } = configuration.network;
  const { rate } = ratesOf(configuration.optimizer);
  const { frozenStages } = configuration.network;
  const named = [...network.namedParameters()].filter(
    ([name]) => !isInFrozenStage(name, network, frozenStages),
  );
  const head = named.filter(([name]) => isHead(name, network)).map(([, parameter]) => parameter);
  const trunk = named.filter(([name]) => !isHead(name, network)).map(([, parameter]) => parameter);
  if (freezeTrunk) return [{ params: head, lr: rate }];
  if (layerRate !== 1) {
    const trunkGroups = byDepth(trunk).map(({ params, depth }) => ({
      params,
      lr: rate * trunkRate * layerRate ** (1 - depth),
    }));
    return [...trunkGroups, { params: head, lr: rate }];
  }
  if (trunkRate === 1) return [{ params: named.map(([, parameter]) => parameter), lr: rate }];
  return [
    { params: trunk, lr: rate * trunkRate },
    { params: head, lr: rate },
  ];
}

/** Few enough that the optimizer still updates many tensors at once. */
const depthGroups = 12;

/**
 * The parameters in groups from the first to the last, with their depth from 0 to 1. Each matrix or kernel begins a layer, to
 * which the biases and norms after it belong, so this suits every network.
 */
function byDepth(parameters: readonly Tensor[]): { readonly params: Tensor[]; readonly depth: number }[] {
  const layers: Tensor[][] = [];
  for (const parameter of parameters) {
    const latest = layers.at(-1);
    if (parameter.ndim > 1 || !latest) layers.push([parameter]);
    else latest.push(parameter);
  }
  const count = Math.min(depthGroups, layers.length);
  return Array.from({ length: count }, (_, group) => ({
    params: layers.filter((_, layer) => Math.floor((layer * count) / layers.length) === group).flat(),
    depth: count === 1 ? 1 : group / (count - 1),
  }));
}

/** Biases, scales of norms and the like, which have one dimension, in groups of their own without weight decay. */
function withoutDecay(groups: readonly Group[]): Group[] {
  return groups.flatMap(({ params, lr }) => [
    { params: params.filter(({ ndim }) => ndim > 1), lr },
    { params: params.filter(({ ndim }) => ndim <= 1), lr, weightDecay: 0 },
  ]);
}

function isInFrozenStage(name: string, network: Network, count: number): boolean {
  if (count === 0) return false;
  const { stages = [] } = definitionOf(network);
  if (count > stages.length) {
    throw new UserError(
      `network.frozenStages is ${count}; ${network.name} has ${stages.length === 0 ? 'no stages' : `${stages.length} with its stem`}`,
    );
  }
  return isInFirstStages(name, stages, count);
}

function isHead(name: string, network: Network): boolean {
  return name.startsWith(network.headPrefix);
}
