// Networks for feature vectors instead of images: `linear`, one logistic regression per class, and `mlp`, a multilayer
// perceptron with ReLU and dropout after each hidden layer. Both first standardize the features with statistics of the
// training rows. Mean and deviation are buffers, so they are stored with the weights in checkpoints, model files and ONNX.

import { keep, nn, noGrad, ones, type Tensor, tensor, tidy, zeros } from '@anyclass/torch';
import { z } from 'zod';
import type { NetworkFamily, OptionsOf } from './definition.js';
import { classHead } from './layers/classHead.js';
import { Network } from './network.js';
import { positiveInteger, sharedFields } from './optionFields.js';

/** Statistics of each feature over the training rows. */
export interface FeatureStatistics {
  readonly mean: Float32Array;
  /** 1 if a feature is constant. */
  readonly std: Float32Array;
}

const mlpOptions = {
  hidden: z.array(positiveInteger).min(1).describe('mlp: widths of the hidden layers'),
  dropout: sharedFields.dropout,
};

type MlpOptions = OptionsOf<typeof mlpOptions>;

const mlpDefaults = { hidden: [512, 256], dropout: 0.2 };

/** Costs are for 224 features. */
const costFeatures = 224;

export const perceptron: NetworkFamily<'linear'> & NetworkFamily<'mlp', typeof mlpOptions> = {
  linear: {
    input: 'features',
    trunk: { parameters: 0, multiplyAdds: 0, features: costFeatures },
    stride: () => undefined,
    sizes: () => undefined,
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new Perceptron('linear', { ...options, ...mlpDefaults, hidden: [] }),
    weights: {},
  },
  mlp: {
    input: 'features',
    trunk: { parameters: 246_528, multiplyAdds: 245_760, features: 256 },
    stride: () => undefined,
    sizes: () => undefined,
    headBias: true,
    options: mlpOptions,
    defaults: mlpDefaults,
    build: (options) => new Perceptron('mlp', options),
    weights: {},
  },
};

/** A network for feature vectors [batch, features]; missing values (NaN) count as the training mean. */
export class Perceptron extends Network<MlpOptions> {
  readonly headPrefix = 'head.';
  readonly mean: Tensor;
  readonly std: Tensor;
  readonly layers: nn.Linear[];
  readonly head: nn.Layer;

  constructor(name: 'linear' | 'mlp', options: MlpOptions) {
    super(name, options);
    const { inputSize, hidden, classes, head } = options;
    this.mean = keep(zeros([inputSize]));
    this.std = keep(ones([inputSize]));
    const widths = [inputSize, ...hidden];
    this.layers = hidden.map((width, i) => new nn.Linear(widths[i]!, width));
    this.head = classHead(widths.at(-1)!, { classes, head });
  }

  override get inputShape(): readonly number[] {
    return [this.options.inputSize];
  }

  /** Sets the statistics that features are standardized with. */
  standardizeBy({ mean, std }: FeatureStatistics): void {
    tidy(() =>
      noGrad(() => {
        this.mean.copy_(tensor(mean));
        this.std.copy_(tensor(std));
      }),
    );
  }

  /** Returns the last hidden layer, [batch, width]; for `linear`, the standardized features. */
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

  override maps(features: Tensor): Tensor {
    return features.unsqueeze(-1).unsqueeze(-1);
  }

  pooled(features: Tensor): Tensor {
    return features;
  }

  protected classLayer(): nn.Layer {
    return this.head;
  }
}
