// The networks by name, one line per family. A test checks their costs against the networks.

import { z } from 'zod';
import { convnext } from './convnext.js';
import type { ImageSizes, NetworkDefinition } from './definition.js';
import { densenet } from './densenet.js';
import { dino } from './dino.js';
import { efficientnet } from './efficientnet.js';
import { maxvit } from './maxvit.js';
import { mobilenet } from './mobilenet.js';
import type { Network, SharedOptions } from './network.js';
import { perceptron } from './perceptron.js';
import { resnet } from './resnet.js';
import { swin } from './swin.js';
import { tresnet } from './tresnet.js';
import { vit } from './vit.js';

const definitions = {
  ...tresnet,
  ...vit,
  ...dino,
  ...maxvit,
  ...swin,
  ...resnet,
  ...convnext,
  ...densenet,
  ...efficientnet,
  ...mobilenet,
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

const familyDefaults: FamilyOptions = Object.assign(
  {},
  ...Object.values(definitions).map(({ defaults }) => defaults),
);

/** Returns a network's default values of these options; those that it does not take have another network's. */
export function optionDefaults(name: NetworkName): FamilyOptions {
  return Object.assign({ ...familyDefaults }, networkDefinitions[name].defaults);
}

/** Options for creating a network: the number of classes, and anything that differs from the defaults. */
export type NetworkOptions = Pick<SharedOptions, 'classes'> &
  Partial<SharedOptions & Readonly<FamilyOptions>>;

/** The options with defaults filled in, including those of other families. */
export type CompleteNetworkOptions = SharedOptions & Readonly<FamilyOptions>;

/** What the file of a network says about it. */
export function definitionOf({ name }: Network): NetworkDefinition {
  if (!isNetworkName(name)) throw new RangeError(`no network is called '${name}'`);
  return networkDefinitions[name];
}

/** The options that follow from the shapes in a file of weights. */
export function optionsOfShapes(
  name: NetworkName,
  shapes: ReadonlyMap<string, readonly number[]>,
): Partial<FamilyOptions> {
  const none: Partial<FamilyOptions> = {};
  return Object.assign(none, familyOptions.parse(networkDefinitions[name].weights.optionsOf?.(shapes) ?? {}));
}

/** Whether a network takes feature vectors instead of images. */
export function isFeatureNetwork(name: NetworkName): boolean {
  return networkDefinitions[name].input === 'features';
}

/** The networks that take feature vectors. */
export const featureNetworks: readonly NetworkName[] = networkNames.filter(isFeatureNetwork);

/**
 * Returns how many pixels of the image's side one cell of the last feature map covers; undefined for feature vectors.
 *
 * @example
 * networkStride('resnet-18') // 32
 * networkStride('vit-b-16', { patchSize: 8 }) // 8
 */
export function networkStride(name: NetworkName, options: Partial<FamilyOptions> = {}): number | undefined {
  return networkDefinitions[name].stride({ ...anyShared, ...optionDefaults(name), ...options });
}

/**
 * Returns which sides images may have; undefined for feature vectors.
 *
 * @example
 * networkSizes('vit-b-16') // { multipleOf: 16, least: 16, isTied: true }
 */
export function networkSizes(
  name: NetworkName,
  options: Partial<FamilyOptions> = {},
): ImageSizes | undefined {
  return networkDefinitions[name].sizes({ ...anyShared, ...optionDefaults(name), ...options });
}

/** What every network takes; the stride does not depend on it. */
const anyShared: SharedOptions = {
  classes: 1,
  inputSize: 224,
  channels: 3,
  head: 'linear',
  mirror: false,
};

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
