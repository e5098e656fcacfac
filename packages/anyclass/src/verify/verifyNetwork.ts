// A network beside its golden values: structure, logits in evaluation and training, loss, gradients, running statistics.

import { anyClassLoss, effectiveNumberWeights } from '@anyclass/core';
import { type Device, type Dtype, noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';
import { isNetworkName, networkNames } from '../networks/catalogue.js';
import { createNetwork } from '../networks/createNetwork.js';
import type { Network } from '../networks/network.js';
import { type Check, compare, largest } from './check.js';
import { fillByHash, hashImages } from './hashFill.js';
import type { NetworkVectors } from './vectorFile.js';

export interface VerifyNetworkOptions {
  readonly device?: Device;
  /** Golden values are float64's; float32, the default, is what networks are trained in. */
  readonly dtype?: 'float32' | 'float64';
  /** Called before each stage, for those who watch. */
  readonly onStage?: (stage: string) => void;
}

const logitTolerance = 2e-3;
const gradientTolerance = 1e-2;
/** A parameter's own gradient counts in full where it is above this part of the whole. */
const gradientFloor = 1e-2;

/**
 * Compares a network with its golden values.
 *
 * @example
 * verifyNetwork(vectors).find(({ figure }) => figure === 'eval logits') // { error: 2.4e-7, tolerance: 2e-3, ok: true, … }
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
  onStage('evaluating');
  const { images, check } = evaluate(network.eval(), vectors, { device, dtype });
  try {
    onStage('training');
    return [...structure, check, ...train(network.train(), images, vectors, () => onStage('gradients'))];
  } finally {
    images.dispose();
  }
}

/** Stochastic depth is off, and sizes that the file does not tell follow from its shapes. */
function networkOf({ network, classes, inputSize, stateDict }: NetworkVectors): Network {
  const name = network.replaceAll('_', '-');
  if (!isNetworkName(name)) {
    throw new RangeError(`there is no network '${network}' here; expected one of ${networkNames.join(', ')}`);
  }
  const shapes = new Map(stateDict);
  const patchSize = shapes.get('conv_proj.weight')?.[2];
  const offsets = stateDict.find(([entry]) => entry.endsWith('relative_position_bias_table'))?.[1][0];
  return createNetwork(name, {
    classes,
    inputSize,
    ...(patchSize !== undefined && { patchSize }),
    ...(offsets !== undefined && { partitionSize: (Math.sqrt(offsets) + 1) / 2, stochasticDepth: 0 }),
  });
}

function checkStructure(network: Network, vectors: NetworkVectors): Check[] {
  const line = (name: string, shape: readonly number[]) => `${name} [${shape.join(', ')}]`;
  const expected = new Set(vectors.stateDict.map(([name, shape]) => line(name, shape)));
  const found = new Set(Array.from(network.stateDict(), ([name, { shape }]) => line(name, shape)));
  const differing = [
    ...[...expected].filter((entry) => !found.has(entry)).map((entry) => `lacks ${entry}`),
    ...[...found].filter((entry) => !expected.has(entry)).map((entry) => `has ${entry}`),
  ];
  const names = {
    figure: 'names and shapes',
    error: differing.length,
    tolerance: 0,
    ok: differing.length === 0,
  };
  const place = differing.slice(0, 3).join(', ');
  return [
    compare('parameters', [network.parameterCount()], vectors.parameters, { relative: 0, floor: 0 }),
    place === '' ? names : { ...names, place },
  ];
}

// The description of the vectors leaves open whether the salt varies the input too; the logits tell.
function evaluate(
  network: Network,
  vectors: NetworkVectors,
  kind: { readonly device: Device; readonly dtype: Dtype },
): { images: Tensor; check: Check } {
  const { batch, inputSize, salt } = vectors;
  const attempt = (inputSalt: number) => {
    const images = hashImages([batch, 3, inputSize, inputSize], inputSalt).to(kind);
    const logits = tidy(() => noGrad(() => numbers(network.forward(images))));
    return { images, check: compareLogits('eval logits', logits, vectors.evalLogits) };
  };
  const salted = attempt(salt);
  if (salted.check.ok || salt === 0) return salted;
  const plain = attempt(0);
  const [chosen, other] = plain.check.ok ? [plain, salted] : [salted, plain];
  other.images.dispose();
  return chosen;
}

function train(
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

/** Through core, so that the network is judged apart from the loss on tensors. */
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
  const names = Object.keys(gradNorms);
  const parts = names.map((name) => found.get(name) ?? null);
  const floor = gradientFloor * gradNorm;
  return [
    compare('gradient norm', [total], gradNorm, { relative: gradientTolerance, floor: 0 }),
    named(
      compare("parameters' gradient norms", parts, Object.values(gradNorms), {
        relative: gradientTolerance,
        floor,
      }),
      names,
    ),
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
  return [named(compare('running statistics', found, Object.values(norms), tolerance), names)];
}

function compareLogits(figure: string, found: Float64Array, expected: readonly number[][]): Check {
  const most = largest(expected);
  // Relative to the largest logit, so the expected value itself is no part of the scale.
  const errors = found.map((value, i) => (value - (expected.flat()[i] ?? Number.NaN)) / most);
  return compare(
    figure,
    errors,
    Array.from(errors, () => 0),
    { relative: logitTolerance, floor: 1 },
  );
}

function named(check: Check, names: readonly string[]): Check {
  const index = check.place?.startsWith('at ') ? Number(check.place.slice(3)) : Number.NaN;
  const name = names[index];
  return name === undefined ? check : { ...check, place: name };
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
