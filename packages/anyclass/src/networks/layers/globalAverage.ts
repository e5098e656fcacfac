import { nn, type Tensor } from '@anyclass/torch';

/**
 * Returns the mean of each channel: [batch, channels, height, width] → [batch, channels].
 *
 * @example
 * globalAverage(ones([2, 8, 7, 7])).shape // [2, 8]
 */
export function globalAverage(x: Tensor): Tensor {
  return nn.functional.adaptiveAvgPool2d(x, 1).flatten(1);
}
