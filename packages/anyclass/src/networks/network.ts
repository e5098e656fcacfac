// What every network of this project is, and how it is asked for.

import { nn, type Tensor } from '@anyclass/torch';
import type { FamilyOptions, NetworkName } from './catalogue.js';

/** Options of every network. */
export interface SharedOptions {
  /** How many logits. */
  readonly classes: number;
  /** Height and width of the images. Default 224. */
  readonly inputSize: number;
  /** A small network for each class in place of the last linear layer. Default false. */
  readonly expertHeads: boolean;
}

/** What a network is asked for with: the number of classes, and what is not to be as by default. */
export type NetworkOptions = Pick<SharedOptions, 'classes'> &
  Partial<SharedOptions & Readonly<FamilyOptions>>;

/** The options with their defaults filled in, those of other families too. */
export type CompleteNetworkOptions = SharedOptions & Readonly<FamilyOptions>;

/** Maps images [batch, 3, height, width] to logits [batch, classes]. */
export abstract class Network extends nn.Module {
  readonly name: NetworkName;
  readonly options: CompleteNetworkOptions;

  constructor(name: NetworkName, options: CompleteNetworkOptions) {
    super();
    this.name = name;
    this.options = options;
  }

  abstract forward(images: Tensor): Tensor;

  /** Names in the state dict that depend on the classes begin with one of these. */
  abstract readonly headPrefix: string;
}
