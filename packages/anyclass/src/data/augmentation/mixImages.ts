// Mixes images on the device that holds them.

import { arange, type Tensor, tensor, tidy, where } from '@anyclass/torch';
import { type Mixture, partnerOf } from './mixing.js';

/**
 * Mixes images [N, C, H, W] in channels-last memory with their partners. Those without a mixture keep every bit.
 *
 * @example
 * mixImages(images, drawMixtures(mixing, indices, { seed, epoch, size }))
 */
export function mixImages(images: Tensor, mixtures: readonly (Mixture | undefined)[]): Tensor {
  return tidy(() => {
    const own = images.permute([0, 2, 3, 1]);
    const partners = Int32Array.from(mixtures, (_, place) => partnerOf(place, mixtures.length));
    const others = own.indexSelect(0, tensor(partners, { device: images.device }));
    return others.lerp(own, ownWeights(images, mixtures)).permute([0, 3, 1, 2]);
  });
}

/** The weight of an image's own pixels, [N, H, W, 1]. */
function ownWeights(images: Tensor, mixtures: readonly (Mixture | undefined)[]): Tensor {
  const [count = 0, , height = 0, width = 0] = images.shape;
  const { device } = images;
  const numbers = Float32Array.from(
    mixtures.flatMap((mixture) => {
      const { left = 0, top = 0, width = 0, height = 0 } = mixture?.box ?? {};
      return [mixture?.weight ?? 1, left, top, left + width, top + height];
    }),
  );
  const parameters = tensor(numbers, { shape: [count, 5], device });
  const parameter = (at: number) => parameters.narrow(1, at, 1).reshape([count, 1, 1, 1]);
  const x = arange(0, width, 1, { device, dtype: 'float32' }).reshape([1, 1, width, 1]);
  const y = arange(0, height, 1, { device, dtype: 'float32' }).reshape([1, height, 1, 1]);
  const isPartner = x
    .ge(parameter(1))
    .logicalAnd(x.lt(parameter(3)))
    .logicalAnd(y.ge(parameter(2)).logicalAnd(y.lt(parameter(4))));
  return where(isPartner.logicalNot(), parameter(0), 0);
}
