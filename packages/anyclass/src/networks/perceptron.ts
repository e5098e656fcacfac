// Networks of feature vectors in place of images: `linear`, a logistic regression a class, and `mlp`, a multilayer perceptron
// with ReLU and dropout behind each hidden layer. Both standardize the features first, by what training rows showed: mean and
// deviation are buffers, so that they go wherever the weights go, into checkpoints, model files and ONNX.

import { keep, nn, noGrad, ones, type Tensor, tensor, tidy, zeros } from '@anyclass/torch';
import { z } from 'zod';
import type { NetworkFamily } from './definition.js';
import { classHead } from './layers/classHead.js';
import { type CompleteNetworkOptions, Network } from './network.js';
import { positiveInteger, probability } from './optionFields.js';

/** What training rows show of each feature. */
export interface FeatureStatistics {
  readonly mean: Float32Array;
  /** 1 where a feature is always the same. */
  readonly std: Float32Array;
}

const mlpOptions = {
  hidden: z.array(positiveInteger).min(1).describe('mlp: widths of the hidden layers'),
  dropout: probability.lt(1).describe('mlp: dropout probability of hidden units'),
};

const mlpDefaults = { hidden: [512, 256], dropout: 0.2 };

/** Figures are those of 224 features. */
const figureFeatures = 224;

export const perceptron: NetworkFamily<'linear'> & NetworkFamily<'mlp', typeof mlpOptions> = {
  linear: {
    input: 'features',
    trunk: { parameters: 0, multiplyAdds: 0, features: figureFeatures },
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new Perceptron('linear', { ...options, hidden: [] }),
    weights: {},
  },
  mlp: {
    input: 'features',
    trunk: { parameters: 246_528, multiplyAdds: 245_760, features: 256 },
    headBias: true,
    options: mlpOptions,
    defaults: mlpDefaults,
    build: (options) => new Perceptron('mlp', options),
    weights: {},
  },
};

/** A network of feature vectors [batch, features]; what is missing (NaN) counts as the mean of training. */
export class Perceptron extends Network {
  readonly headPrefix = 'head.';
  readonly mean: Tensor;
  readonly std: Tensor;
  readonly layers: nn.Linear[];
  readonly head: nn.Layer;

  constructor(name: 'linear' | 'mlp', options: CompleteNetworkOptions) {
    super(name, options);
    const { inputSize, hidden, classes, expertHeads } = options;
    this.mean = keep(zeros([inputSize]));
    this.std = keep(ones([inputSize]));
    const widths = [inputSize, ...hidden];
    this.layers = hidden.map((width, i) => new nn.Linear(widths[i]!, width));
    this.head = classHead(widths.at(-1)!, { classes, expertHeads });
  }

  override get inputShape(): readonly number[] {
    return [this.options.inputSize];
  }

  /** Sets what features are standardized by. */
  standardizeBy({ mean, std }: FeatureStatistics): void {
    tidy(() =>
      noGrad(() => {
        this.mean.copy_(tensor(mean));
        this.std.copy_(tensor(std));
      }),
    );
  }

  /** The last hidden layer, [batch, width]; of `linear` the standardized features. */
  forwardFeatures(features: Tensor): Tensor {
    return tidy(() => {
      const standardized = features.sub(this.mean).div(this.std);
      let x = standardized.maskedFill(features.isnan(), 0);
      for (const layer of this.layers) {
        x = nn.functional.dropout(layer.forward(x).relu(), this.options.dropout, this.training);
      }
      return x;
    });
  }

  pooled(features: Tensor): Tensor {
    return features;
  }

  forwardHead(features: Tensor): Tensor {
    return this.head.forward(features);
  }
}
