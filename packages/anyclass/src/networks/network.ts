// What every network of this project is, and how it is asked for.

import { nn, type Tensor } from '@anyclass/torch';
import type { NetworkName } from './catalogue.js';

export interface NetworkOptions {
  /** How many logits. */
  readonly classes: number;
  /** Height and width of the images. Default 224. */
  readonly inputSize?: number;
  /** A small network for each class in place of the last linear layer. */
  readonly expertHeads?: boolean;
  /** ViT: the side of a patch in pixels. Default 16. */
  readonly patchSize?: number;
  /** MaxViT: the side of a window and of the grid. Default 7. */
  readonly partitionSize?: number;
  /** MaxViT: the probability that the last layer's branches are skipped in training; earlier ones less. Default 0.2. */
  readonly stochasticDepth?: number;
}

/** The options with their defaults filled in. */
export type CompleteNetworkOptions = Required<NetworkOptions>;

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
