// The networks by name, one line per family. A test checks their figures against the networks.

import { z } from 'zod';
import type { NetworkDefinition } from './definition.js';
import { maxvit } from './maxvit.js';
import { perceptron } from './perceptron.js';
import { resnet } from './resnet.js';
import { tresnet } from './tresnet.js';
import { vit } from './vit.js';

const definitions = {
  ...tresnet,
  ...vit,
  ...maxvit,
  ...resnet,
  ...perceptron,
};

export type NetworkName = keyof typeof definitions;

/** Describes each network without building it. */
export const networkDefinitions: Readonly<Record<NetworkName, NetworkDefinition>> = definitions;

export const networkNames: readonly NetworkName[] = Object.keys(definitions).filter(isNetworkName);

const optionFields: Intersection<(typeof definitions)[NetworkName]['options']> = Object.assign(
  {},
  ...Object.values(definitions).map(({ options }) => options),
);

/** Options that only some networks take. */
export type FamilyOptions = z.output<z.ZodObject<typeof optionFields>>;

/** The same for a configuration, where each is optional. */
export const familyOptions = z.object(optionFields).partial();

/** Their default values. */
export const familyDefaults: FamilyOptions = Object.assign(
  {},
  ...Object.values(definitions).map(({ defaults }) => defaults),
);

/** Whether a network takes feature vectors instead of images. */
export function takesFeatures(name: NetworkName): boolean {
  return networkDefinitions[name].input === 'features';
}

/** The networks that take feature vectors. */
export const featureNetworks: readonly NetworkName[] = networkNames.filter(takesFeatures);

/**
 * Returns how many pixels of the image's side one cell of the last feature map covers; undefined for feature vectors.
 *
 * @example
 * networkStride('resnet-18') // 32
 * networkStride('vit-b-16', { patchSize: 8 }) // 8
 */
export function networkStride(name: NetworkName, options: Partial<FamilyOptions> = {}): number | undefined {
  const { stride } = networkDefinitions[name];
  return typeof stride === 'function' ? stride({ ...familyDefaults, ...options }) : stride;
}

/** The cost of a network with a given number of classes. */
export interface NetworkCost {
  readonly parameters: number;
  /** For one image at 224 px, or 224 features; what papers report as FLOPs. */
  readonly multiplyAdds: number;
}

/**
 * Returns the parameters and multiply-adds of a network at 224 px.
 *
 * @example
 * networkCost('tresnet-m', 17) // { parameters: 29374865, multiplyAdds: 5734532608 }
 */
export function networkCost(name: NetworkName, classes: number): NetworkCost {
  const { trunk, headBias } = networkDefinitions[name];
  return {
    parameters: trunk.parameters + classes * (trunk.features + (headBias ? 1 : 0)),
    multiplyAdds: trunk.multiplyAdds + classes * trunk.features,
  };
}

/**
 * Whether there is a network of this name.
 *
 * @example
 * isNetworkName('resnet-18') // true
 */
export function isNetworkName(name: string): name is NetworkName {
  return Object.hasOwn(definitions, name);
}

/** Turns a union into an intersection: only an intersection can be inferred for a parameter that must accept each member. */
type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer All,
) => void
  ? All
  : never;
