// The floor of prediction on a GPU: the captured forward pass by itself.

import {
  autocast,
  captureStep,
  cudaSynchronize,
  noGrad,
  randn,
  setSeed,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { createNetwork } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';

/**
 * Writes a TResNet-L with random weights, and returns the images per second of its forward passes alone, in bfloat16 as in the product,
 * from images already on the GPU.
 */
export function bareRate(path: string, batch: number): number {
  setSeed(1);
  using network = createNetwork('tresnet-l', { classes: 17, inputSize: 224 });
  const classes = Array.from({ length: 17 }, (_, i) => `class ${i}`);
  const description = { classes, channels: 3, mean: [0.5], std: [0.25], epoch: 1, loss: 'bce' } as const;
  saveModel(path, { network, description: { ...description, dataset: 'none' } });
  network.eval().requireGrad(false).to({ device: 'cuda', memoryFormat: 'channelsLast' });
  using images = randn([batch, 3, 224, 224], { device: 'cuda' }).to({ memoryFormat: 'channelsLast' });
  const forward = (input: Tensor) =>
    noGrad(() => autocast(() => network.forward(input), { device: 'cuda', dtype: 'bfloat16' }));
  const step = captureStep((input) => [forward(input!)]);
  const steps = 100;
  let start = 0;
  for (let i = -10; i < steps; i++) {
    if (i === 0) {
      cudaSynchronize();
      start = performance.now();
    }
    tidy(() => {
      step(images);
    });
  }
  cudaSynchronize();
  return (1000 * batch * steps) / (performance.now() - start);
}
