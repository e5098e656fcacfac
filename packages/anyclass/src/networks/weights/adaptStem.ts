import type { Tensor } from '@anyclass/torch';

/**
 * Converts the first convolution's weight to another number of image channels, as timm does: the channels' weights are added
 * up for gray images, and otherwise repeated in turn and scaled so that responses keep their size.
 *
 * `channels` is the number that the weight was trained for. A stem that moves squares of pixels into the channels
 * (space to depth) has several inputs for each.
 *
 * @example
 * adaptStem(zeros([64, 3, 7, 7]), { from: 3, to: 1 }).shape // [64, 1, 7, 7]
 */
export function adaptStem(
  weight: Tensor,
  { from, to }: { readonly from: number; readonly to: number },
): Tensor {
  const [outputs = 0, inputs = 0, height = 0, width = 0] = weight.shape;
  const squares = inputs / from;
  const split = weight.reshape([outputs, squares, from, height, width]);
  const repeats = Math.ceil(to / from);
  const adapted =
    to === 1
      ? split.sum([2], true)
      : split
          .repeat([1, 1, repeats, 1, 1])
          .narrow(2, 0, to)
          .mul(from / to);
  return adapted.reshape([outputs, squares * to, height, width]);
}
