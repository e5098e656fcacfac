// What every network of this project is, and how it is asked for.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import type { FamilyOptions, NetworkName } from './catalog.js';

/** Options of every network. */
export interface SharedOptions {
  /** How many logits. */
  readonly classes: number;
  /** Height and width of the images, or the number of features. Default 224. */
  readonly inputSize: number;
  /** A small network for each class in place of the last linear layer. Default false. */
  readonly expertHeads: boolean;
}

/** What a network is asked for with: the number of classes, and what is not to be as by default. */
export type NetworkOptions = Pick<SharedOptions, 'classes'> &
  Partial<SharedOptions & Readonly<FamilyOptions>>;

/** The options with their defaults filled in, those of other families too. */
export type CompleteNetworkOptions = SharedOptions & Readonly<FamilyOptions>;

/**
 * Maps images [batch, 3, height, width] to logits [batch, classes], in two parts: features that still know where in the
 * image they are, and the head that forgets it. Embeddings, heat maps and other heads begin between the two.
 *
 * @example
 * const features = network.forwardFeatures(images); // resnet-18 at 224 px: [batch, 512, 7, 7]
 * network.pooled(features).shape // [batch, 512], an embedding of each image
 * network.forwardHead(features).equal(network.forward(images)) // true in evaluation
 */
export abstract class Network extends nn.Module {
  readonly name: NetworkName;
  readonly options: CompleteNetworkOptions;

  constructor(name: NetworkName, options: CompleteNetworkOptions) {
    super();
    this.name = name;
    this.options = options;
  }

  /** Of one instance: channels, height and width of an image, or the number of features. */
  get inputShape(): readonly number[] {
    const { inputSize } = this.options;
    return [3, inputSize, inputSize];
  }

  forward(images: Tensor): Tensor {
    return tidy(() => this.forwardHead(this.forwardFeatures(images)));
  }

  /** The last feature maps, [batch, channels, height, width]; a ViT's tokens, [batch, tokens, width]; an MLP's last layer. */
  abstract forwardFeatures(images: Tensor): Tensor;

  /** One vector for each image, as the class head sees it: [batch, features]. */
  abstract pooled(features: Tensor): Tensor;

  /** The logits of features, [batch, classes]. */
  abstract forwardHead(features: Tensor): Tensor;

  /** Names in the state dict that depend on the classes begin with one of these. */
  abstract readonly headPrefix: string;
}
