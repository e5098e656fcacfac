// The networks by name, one line a family. A test counts their figures again on the networks.

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

/** What each network is, without building it. */
export const networkDefinitions: Readonly<Record<NetworkName, NetworkDefinition>> = definitions;

export const networkNames: readonly NetworkName[] = Object.keys(definitions).filter(isNetworkName);

const optionFields: Intersection<(typeof definitions)[NetworkName]['options']> = Object.assign(
  {},
  ...Object.values(definitions).map(({ options }) => options),
);

/** The options that only some networks take. */
export type FamilyOptions = z.output<z.ZodObject<typeof optionFields>>;

/** The same for a configuration, where each may be left out. */
export const familyOptions = z.object(optionFields).partial();

/** Their values where none is given. */
export const familyDefaults: FamilyOptions = Object.assign(
  {},
  ...Object.values(definitions).map(({ defaults }) => defaults),
);

/** Whether a network is one of feature vectors in place of images. */
export function takesFeatures(name: NetworkName): boolean {
  return networkDefinitions[name].input === 'features';
}

/** The networks of feature vectors. */
export const featureNetworks: readonly NetworkName[] = networkNames.filter(takesFeatures);

/** What a network with a number of classes takes. */
export interface NetworkCost {
  readonly parameters: number;
  /** Of one image at 224 px, or of 224 features; what papers print as FLOPs. */
  readonly multiplyAdds: number;
}

/**
 * Parameters and multiply-adds of a network at 224 px.
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

/** All members of a union in one type: only an intersection fits a parameter that must fit each of them. */
type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer All,
) => void
  ? All
  : never;
