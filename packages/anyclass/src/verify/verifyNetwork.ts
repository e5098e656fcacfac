// Compares a network with its golden values: structure, logits in evaluation and training, loss, gradients,
// running statistics.

import { anyClassLoss, effectiveNumberWeights } from '@anyclass/core';
import { type Device, nn, noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import { isNetworkName, networkDefinitions, networkNames, optionsOfShapes } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import type { Network } from '../networks/network.js';
import { type Check, compare, type Entry, largest, type Tolerance } from './check.js';
import { fillByHash, hashImages } from './hashFill.js';
import type { NetworkVectors } from './vectorFile.js';

export interface VerifyNetworkOptions {
  readonly device?: Device;
  /** Golden values were computed in float64; the default is float32, in which networks are trained. */
  readonly dtype?: 'float32' | 'float64';
  /** Called before each stage, to show progress. */
  readonly onStage?: (stage: string) => void;
}

const logitTolerance = 2e-3;
const gradientTolerance = 1e-2;
/**
 * Gradient norms of parameters well below this share of the total norm are compared with that share instead.
 */
const gradientFloor = 1e-2;

/**
 * Compares a network with its golden values.
 *
 * @example
 * verifyNetwork(vectors).find(({ name }) => name === 'eval logits') // { error: 2.4e-7, tolerance: 2e-3, ok: true, … }
 */
export function verifyNetwork(vectors: NetworkVectors, options: VerifyNetworkOptions = {}): Check[] {
  const { device = 'cpu', dtype = 'float32', onStage = () => {} } = options;
  onStage('building');
  using network = networkOf(vectors);
  const structure = checkStructure(network, vectors);
  if (structure.some(({ ok }) => !ok)) return structure;

  onStage('filling');
  network.to({ device, dtype });
  fillByHash(network, vectors);
  const { batch, inputSize, salt } = vectors;
  using images = tidy(() => hashImages([batch, 3, inputSize, inputSize], salt).to({ device, dtype }));
  onStage('evaluating');
  const evaluated = checkEvaluation(network.eval(), images, vectors);
  onStage('training');
  const trained = checkTrainingStep(network.train(), images, vectors, () => onStage('gradients'));
  return [...structure, evaluated, ...trained];
}

/**
 * Creates the network without stochastic depth; options that the file does not contain follow from its
 * shapes.
 */
function networkOf({ network, classes, inputSize, stateDict }: NetworkVectors): Network {
  const name = network.replaceAll('_', '-');
  if (!isNetworkName(name)) {
    throw new UserError(
      `network '${network}' is unknown; expected one of ${networkNames.join(', ')}, with - or _ between the words`,
    );
  }
  const { options } = networkDefinitions[name];
  return nn.init.withoutDrawing(() =>
    createNetwork(name, {
      classes,
      inputSize,
      ...optionsOfShapes(name, new Map(stateDict)),
      ...('stochasticDepth' in options && { stochasticDepth: 0 }),
    }),
  );
}

function checkStructure(network: Network, vectors: NetworkVectors): Check[] {
  const expected = vectors.stateDict.map(([name, shape]) => ({ name, shape }));
  const found = Array.from(network.stateDict(), ([name, { shape }]) => ({ name, shape }));
  const structure = { lacks: missingFrom(found, expected), has: missingFrom(expected, found) };
  const error = structure.lacks.length + structure.has.length;
  const names = { name: 'names and shapes', error, tolerance: 0, ok: error === 0 };
  return [
    compare('parameters', [network.parameterCount()], vectors.parameters, { relative: 0, floor: 0 }),
    names.ok ? names : { ...names, place: { structure } },
  ];
}

function missingFrom(entries: readonly Entry[], wanted: readonly Entry[]): Entry[] {
  const shapes = new Map(entries.map(({ name, shape }) => [name, shape.join()]));
  return wanted.filter(({ name, shape }) => shapes.get(name) !== shape.join());
}

function checkEvaluation(network: Network, images: Tensor, { evalLogits }: NetworkVectors): Check {
  const logits = tidy(() => noGrad(() => numbers(network.forward(images))));
  return compareLogits('eval logits', logits, evalLogits);
}

function checkTrainingStep(
  network: Network,
  images: Tensor,
  vectors: NetworkVectors,
  beforeGradients: () => void,
): Check[] {
  return tidy(() => {
    const logits = network.forward(images);
    const values = numbers(logits);
    const { loss, gradient } = lossOf(values, vectors);
    beforeGradients();
    logits.backward(
      tensor(gradient, { shape: logits.shape }).to({ device: logits.device, dtype: logits.dtype }),
    );
    return [
      compareLogits('train logits', values, vectors.trainLogits),
      compare('train loss', [loss], vectors.trainLoss, { relative: logitTolerance, floor: 0 }),
      ...checkGradients(network, vectors),
      ...checkStatistics(network, { ...vectors.runningMeanNorms, ...vectors.runningVarNorms }),
    ];
  });
}

/** Computes the loss with core, so that the network is checked independently of the loss on tensors. */
function lossOf(logits: Float64Array, { classes, targets, ...vectors }: NetworkVectors) {
  const { beta, ...loss } = vectors.loss;
  const balance = effectiveNumberWeights(vectors.classCounts, vectors.negativeCount, { beta });
  const gradient = new Float64Array(logits.length);
  return {
    gradient,
    loss: anyClassLoss(logits, targets.flat(), { ...loss, classes, balance, gradient }).loss,
  };
}

function checkGradients(network: Network, { gradNorm, gradNorms }: NetworkVectors): Check[] {
  const found = new Map(
    Array.from(network.namedParameters(), ([name, { grad }]) => [name, grad ? norm(grad) : 0]),
  );
  const total = Math.hypot(...found.values());
  const parts = Object.keys(gradNorms).map((name) => found.get(name) ?? null);
  const floor = gradientFloor * gradNorm;
  return [
    compare('gradient norm', [total], gradNorm, { relative: gradientTolerance, floor: 0 }),
    compareEntries("parameters' gradient norms", parts, gradNorms, { relative: gradientTolerance, floor }),
  ];
}

function checkStatistics(network: Network, norms: Readonly<Record<string, number>>): Check[] {
  const names = Object.keys(norms);
  if (names.length === 0) return [];
  const state = network.stateDict();
  const found = names.map((name) => {
    const statistic = state.get(name);
    return statistic ? norm(statistic) : null;
  });
  const tolerance = { relative: logitTolerance, floor: 0 };
  return [compareEntries('running statistics', found, norms, tolerance)];
}

function compareLogits(name: string, found: Float64Array, expected: readonly number[][]): Check {
  const most = largest(expected);
  // Errors are relative to the largest logit, so the expected value itself is not part of the scale.
  const errors = found.map((value, i) => (value - (expected.flat()[i] ?? Number.NaN)) / most);
  return compare(
    name,
    errors,
    Array.from(errors, () => 0),
    { relative: logitTolerance, floor: 1 },
  );
}

/** Compares one number for each entry of the state dict. */
function compareEntries(
  name: string,
  found: readonly (number | null)[],
  expected: Readonly<Record<string, number>>,
  tolerance: Tolerance,
): Check {
  const check = compare(name, found, Object.values(expected), tolerance);
  const entry = Object.keys(expected)[check.place?.value ?? 0];
  return check.place?.value === undefined || entry === undefined ? check : { ...check, place: { entry } };
}

function norm(values: Tensor): number {
  return tidy(() => values.to('float64').flatten().norm(2, [0]).toNumber());
}

function numbers(values: Tensor): Float64Array {
  return Float64Array.from(
    tidy(() => values.detach().to({ device: 'cpu', dtype: 'float64' })).toTypedArray(),
    Number,
  );
}
