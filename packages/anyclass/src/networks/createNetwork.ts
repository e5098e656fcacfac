import { tidy } from '@anyclass/torch';
import { isNetworkName, type NetworkName, networkNames } from './catalogue.js';
import { MaxViT } from './maxvit.js';
import type { CompleteNetworkOptions, Network, NetworkOptions } from './network.js';
import { ResNet } from './resnet.js';
import { TResNet } from './tresnet.js';
import { VisionTransformer } from './vit.js';

const defaults = {
  inputSize: 224,
  expertHeads: false,
  patchSize: 16,
  partitionSize: 7,
  stochasticDepth: 0.2,
} as const;

/**
 * Builds a network with fresh weights, the same ones after the same `setSeed`.
 *
 * @example
 * const network = createNetwork('tresnet-m', { classes: 14 });
 * network.parameterCount() // 29368718
 * network.forward(zeros([2, 3, 224, 224])).shape // [2, 14]
 */
export function createNetwork(name: NetworkName, options: NetworkOptions): Network {
  if (!isNetworkName(name)) {
    throw new RangeError(`there is no network '${String(name)}'; expected one of ${networkNames.join(', ')}`);
  }
  refuseForeignOptions(name, options);
  const complete: CompleteNetworkOptions = { ...defaults, ...options };
  for (const field of ['classes', 'inputSize', 'patchSize', 'partitionSize'] as const) {
    const value = complete[field];
    if (!Number.isInteger(value) || value < 1) {
      throw new RangeError(`${name}: ${field} is ${value}; expected a positive integer`);
    }
  }
  return buildNetwork(name, complete);
}

/** A network from options that are complete, as another one's `options` are. */
export function buildNetwork(name: NetworkName, options: CompleteNetworkOptions): Network {
  return tidy(() => build(name, options));
}

function build(name: NetworkName, options: CompleteNetworkOptions): Network {
  switch (name) {
    case 'vit-b-16':
      return new VisionTransformer(name, options);
    case 'maxvit-t':
    case 'maxvit-s':
      return new MaxViT(name, options);
    case 'resnet-18':
      return new ResNet(name, options);
    default:
      return new TResNet(name, options);
  }
}

const optionsOfFamilies = [
  ['patchSize', 'vit'],
  ['partitionSize', 'maxvit'],
  ['stochasticDepth', 'maxvit'],
] as const;

function refuseForeignOptions(name: NetworkName, options: NetworkOptions): void {
  for (const [option, family] of optionsOfFamilies) {
    if (options[option] !== undefined && !name.startsWith(family)) {
      throw new RangeError(`${name} takes no ${option}; it is an option of ${family}`);
    }
  }
}
