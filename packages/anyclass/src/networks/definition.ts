// What each network's file tells about it. catalog.ts lists the families; nothing else has to know a network by name.

import type { Tensor } from '@anyclass/torch';
import type { z } from 'zod';
import type { FamilyOptions } from './catalog.js';
import type { CompleteNetworkOptions, Network } from './network.js';
import type { PublishedWeights } from './weights/published.js';

/** Of a family without options of its own. */
export type NoFields = Record<never, never>;

/** The networks of a family by name. `Fields` are the options that they take beside those of every network. */
export type NetworkFamily<Name extends string, Fields extends z.ZodRawShape = NoFields> = Readonly<
  Record<Name, NetworkDefinition<Fields>>
>;

export interface NetworkDefinition<Fields extends z.ZodRawShape = z.ZodRawShape> {
  /** Its paper on arXiv. */
  readonly paper?: string;
  /** What it is a network of. Default images. */
  readonly input?: 'features';
  readonly trunk: TrunkFigures;
  /** Whether the last layer, where it is linear, adds a bias. */
  readonly headBias: boolean;
  /** Options of its own: their type, their range and what they are. */
  readonly options: Fields;
  readonly defaults: z.output<z.ZodObject<Fields>>;
  readonly build: (options: CompleteNetworkOptions) => Network;
  readonly weights: WeightRules;
}

/** Everything in front of the last layer, for one image of 224 px, or a vector of 224 features. */
export interface TrunkFigures {
  readonly parameters: number;
  readonly multiplyAdds: number;
  /** How many numbers the last layer sees. */
  readonly features: number;
}

/** How a file of weights fits a network that was built otherwise, or by another program. */
export interface WeightRules {
  /** What others trained, by name. */
  readonly published?: readonly PublishedWeights[];
  /** The same network in other libraries, to export weights to. */
  readonly timm?: ForeignNetwork & {
    /** The names of its first convolution and of its last layer, which timm replaces for other images and classes. */
    readonly ends: { readonly first_conv: string; readonly classifier: string };
  };
  readonly torchvision?: ForeignNetwork;
  /** Names that are understood beside our own. */
  readonly conventions?: readonly NamingConvention[];
  /** The values of an entry, float32, in the shape that the network has it in; undefined where that cannot be. */
  readonly resize?: (name: string, values: Tensor, entry: Tensor) => Tensor | undefined;
  /** Options of the network that a file's shapes tell. */
  readonly optionsOf?: (shapes: ReadonlyMap<string, readonly number[]>) => Partial<FamilyOptions>;
  /** Whether an entry follows from the network's own geometry and is never taken from a file. */
  readonly isComputed?: (name: string) => boolean;
  /** Whether files may lack an entry, since what a fresh network has is right. */
  readonly hasDefault?: (name: string) => boolean;
}

/** How another program names the weights of a network. */
export interface NamingConvention {
  readonly title: string;
  /** Our names that a foreign one may stand for, the likeliest first. */
  readonly translate: (name: string) => readonly string[];
  /** What is to be added to the values of an entry of ours. */
  readonly offset?: (name: string) => number;
}

/** How another library builds the same network, and names its weights. */
export interface ForeignNetwork {
  /** What the library calls it, and what it is built with beside the number of classes; throws where the library cannot. */
  readonly architecture: (options: CompleteNetworkOptions) => {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /** The library's name of an entry, undefined where it has no such; left out where its names are ours. */
  readonly rename?: (name: string) => string | undefined;
  /** The library's values of an entry, where they are not ours. */
  readonly convert?: (name: string, values: Tensor) => Tensor;
}
