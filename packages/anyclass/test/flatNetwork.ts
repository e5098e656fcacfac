import { nn, type Tensor } from '@anyclass/torch';
import { Network } from '../src/networks/network.js';

/** One linear layer on the pixels of RGB images, for fast tests of training. */
export class FlatNetwork extends Network {
  readonly headPrefix = 'fc.';
  readonly fc: nn.Linear;

  constructor(classes: number, inputSize: number) {
    super('resnet-18', { classes, inputSize, channels: 3, head: 'linear', mirror: false });
    this.fc = new nn.Linear(3 * inputSize * inputSize, classes);
  }

  forwardFeatures(images: Tensor): Tensor {
    return images;
  }

  pooled(features: Tensor): Tensor {
    return features.flatten(1);
  }

  protected classLayer(): nn.Layer {
    return this.fc;
  }
}
