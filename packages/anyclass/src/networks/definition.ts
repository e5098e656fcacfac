// What each network's file says about it. catalog.ts lists the families; nothing else has to know a network by name.

import type { Tensor } from '@anyclass/torch';
import type { z } from 'zod';
import type { FineTuning } from './fineTuning.js';
import type { Network, SharedOptions } from './network.js';
import type { PublishedWeights } from './published/publishedWeights.js';

/** Options of a family that has none of its own. */
export type NoFields = Record<never, never>;

/** The networks of a family by name. `Fields` are the options they take besides those of every network. */
export type NetworkFamily<Name extends string, Fields extends z.ZodRawShape = NoFields> = Readonly<
  Record<Name, NetworkDefinition<Fields>>
>;

export interface NetworkDefinition<
  Fields extends z.ZodRawShape = z.ZodRawShape,
  Options extends SharedOptions = OptionsOf<Fields>,
> {
  /** Its paper on arXiv. */
  readonly paper?: string;
  /** What it takes as input. Default: images. */
  readonly input?: 'features';
  readonly trunk: TrunkCost;
  /**
   * The image's side divided by the last feature map's: details much smaller than this many pixels are hard to see. Undefined
   * for feature vectors, which have no positions.
   */
  stride(options: Options): number | undefined;
  /** Which sides images may have; undefined for feature vectors. */
  sizes(options: Options): ImageSizes | undefined;
  /** Whether the last layer, if linear, adds a bias. */
  readonly headBias: boolean;
  /** Its own options: type, range and description. */
  readonly options: Fields;
  readonly defaults: z.output<z.ZodObject<Fields>>;
  /** A method, because the catalog treats all networks alike and passes each the options of all families. */
  build(options: Options): Network;
  readonly weights: WeightRules<Options>;
  /** Prefixes of the names in each stage, the stem first; several are separated by spaces. Layers after the last stage belong to none. */
  readonly stages?: readonly string[];
  /** How it is trained further from weights, where that differs from most networks. */
  readonly fineTuning?: Partial<FineTuning>;
}

/** The options of a network: those of every network, and its own if they are known. */
export type OptionsOf<Fields extends z.ZodRawShape> = SharedOptions & OwnOptions<Fields>;

type OwnOptions<Fields extends z.ZodRawShape> = string extends keyof Fields
  ? unknown
  : Readonly<z.output<z.ZodObject<Fields>>>;

/** The cost of everything before the last layer, for one image of 224 px or a vector of 224 features. */
export interface TrunkCost {
  readonly parameters: number;
  readonly multiplyAdds: number;
  /** The input width of the last layer. */
  readonly features: number;
}

/** Sides of images in pixels: multiples of one number, from another on. */
export interface ImageSizes {
  readonly multipleOf: number;
  readonly least: number;
  /** Whether its positions or windows tie a network to the size that it was built for. */
  readonly isTied?: true;
}

/** How to load weights from, and export them to, files of other programs or networks built with other options. */
export interface WeightRules<Options extends SharedOptions = SharedOptions> {
  /** Weights that others trained, by name. */
  readonly published?: readonly PublishedWeights[] | undefined;
  /** The same network in timm, for exporting weights. */
  readonly timm?: ForeignNetwork<Options> & {
    /** The names of its first convolution and last layer, which timm replaces for other images and classes. */
    readonly ends: { readonly first_conv: string; readonly classifier: string };
  };
  readonly torchvision?: ForeignNetwork<Options>;
  /** The name of the first convolution's weight, whose inputs follow the images' channels. */
  readonly stem?: string;
  /** Naming conventions that are understood besides our own. */
  readonly conventions?: readonly NamingConvention[];
  /** Converts the float32 values of an entry to the network's shape; returns undefined if that is impossible. */
  readonly resize?: (name: string, values: Tensor, entry: Tensor) => Tensor | undefined;
  /**
   * Moves values between entries, where files divide them differently: returns an entry's values from those of a file and of its
   * other entries, which go by our names.
   */
  readonly regroup?: (name: string, values: Tensor, valuesOf: (name: string) => Tensor | undefined) => Tensor;
  /** Derives network options from the shapes in a file. */
  readonly optionsOf?: (
    shapes: ReadonlyMap<string, readonly number[]>,
  ) => Partial<Omit<Options, keyof SharedOptions>>;
  /** Whether an entry is computed from the network's geometry and never loaded from a file. */
  readonly isComputed?: (name: string) => boolean;
  /** Whether files may lack an entry, because a fresh network's value is right. */
  readonly hasDefault?: (name: string) => boolean;
}

/** How another program names the weights of a network. */
export interface NamingConvention {
  readonly title: string;
  /**
   * Returns our names that a foreign name may stand for, most likely first. `name#1/3` is the second third of an entry, along its
   * first dimension.
   */
  readonly translate: (name: string) => readonly string[];
  /** Returns what to add to the values of one of our entries; throws if the network cannot represent them. */
  readonly offset?: (name: string, values: Tensor) => number;
  /** Options without which a network does not compute what these files are for. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Converts values as `WeightRules.resize` does, where these files are converted differently. */
  readonly resize?: WeightRules['resize'];
}

/** How another library builds the same network and names its weights. */
export interface ForeignNetwork<Options extends SharedOptions = SharedOptions> {
  /** Returns the library's name for it and its arguments besides the number of classes; throws if the library cannot build it. */
  architecture(options: Options): {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /** Returns the library's name for an entry, or undefined if it has none. Left out if the names are the same as ours. */
  readonly rename?: (name: string) => string | undefined;
  /** Converts an entry's values to the library's. Left out if they are the same as ours. */
  readonly convert?: (name: string, values: Tensor) => Tensor;
}
