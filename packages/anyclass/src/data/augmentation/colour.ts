// Colour jitter on batches, each image with its own factors and order. The formulas are those of torchvision's
// functional_tensor: blends with black, with the mean gray and with the gray image; hue by way of HSV.

import { type Tensor, tensor, tidy } from '@anyclass/torch';
import type { ColourChange } from './parameters.js';

/**
 * Change the colours of images [N, 3, H, W] with values 0 to 1, each by its own list of changes.
 *
 * Brightness, contrast and saturation are one computation, clamp(f·x + (1 - f)·other), with black, the mean gray or the
 * gray image as `other`; so a round over the batch takes whichever each image has next, and only hue works on a part
 * of the batch.
 *
 * @example
 * jitterColours(images, [[{ kind: 'brightness', factor: 1.1 }], []]) // the first brighter, the second as it is
 */
export function jitterColours(images: Tensor, changes: readonly (readonly ColourChange[])[]): Tensor {
  const rounds = Math.max(0, ...changes.map((list) => list.length));
  if (rounds === 0) return images;
  return tidy(() => {
    // One channel after another: interleaved, the computations of a channel would step through memory in threes.
    let current = images.contiguous();
    for (let round = 0; round < rounds; round++) {
      const now = changes.map((list) => list[round]);
      if (now.some((change) => change && change.kind !== 'hue')) current = blendRound(current, now);
      const shifts = now.flatMap((change, i) =>
        change?.kind === 'hue' ? [{ i, shift: change.factor }] : [],
      );
      if (shifts.length > 0) current = hueRound(current, shifts);
    }
    return current;
  });
}

function blendRound(images: Tensor, now: readonly (ColourChange | undefined)[]): Tensor {
  const perImage = (value: (change: ColourChange | undefined) => number) =>
    tensor(Float32Array.from(now, value), { shape: [now.length, 1, 1, 1], device: images.device });
  const factor = perImage((change) => (change && change.kind !== 'hue' ? change.factor : 1));
  const rest = (kind: ColourChange['kind']) =>
    perImage((change) => (change?.kind === kind ? 1 - change.factor : 0));
  const gray = grayOf(images);
  const mean = gray.mean([1, 2, 3], true);
  return images
    .mul(factor)
    .add(mean.mul(rest('contrast')))
    .add(gray.mul(rest('saturation')))
    .clamp(0, 1);
}

function hueRound(images: Tensor, shifts: readonly { readonly i: number; readonly shift: number }[]): Tensor {
  const rows = tensor(
    BigInt64Array.from(shifts, ({ i }) => BigInt(i)),
    { device: images.device },
  );
  const shift = tensor(
    Float32Array.from(shifts, (one) => one.shift),
    {
      shape: [shifts.length, 1, 1, 1],
      device: images.device,
    },
  );
  const shifted = shiftHue(images.indexSelect(0, rows), shift);
  return images.clone().indexCopy_(0, rows, shifted);
}

/** ITU-R 601 luma with torchvision's rounding of its weights. */
function grayOf(images: Tensor): Tensor {
  const weights = tensor([0.2989, 0.587, 0.114], { shape: [1, 3, 1, 1], device: images.device });
  return images.mul(weights).sum(1, true);
}

function shiftHue(images: Tensor, shift: Tensor): Tensor {
  const red = images.narrow(1, 0, 1);
  const green = images.narrow(1, 1, 1);
  const blue = images.narrow(1, 2, 1);
  const value = images.amax(1, true);
  const chroma = value.sub(images.amin(1, true));
  const isGray = chroma.eq(0).to('float32');
  const saturation = chroma.div(value.add(isGray));
  const divisor = chroma.add(isGray);
  const distance = (channel: Tensor) => value.sub(channel).div(divisor);
  const [r, g, b] = [distance(red), distance(green), distance(blue)];
  const redIsLargest = value.eq(red);
  const greenIsLargest = value.eq(green).logicalAnd(redIsLargest.logicalNot());
  const blueIsLargest = redIsLargest.logicalOr(greenIsLargest).logicalNot();
  const sextant = b
    .sub(g)
    .mul(redIsLargest)
    .add(r.sub(b).add(2).mul(greenIsLargest))
    .add(g.sub(r).add(4).mul(blueIsLargest));
  const hue = sextant.div(6).add(shift).remainder(1).mul(6);
  // HSV to RGB without cases: channel n is v - v·s·clamp(min(k, 4 - k), 0, 1) with k = (n + 6h) mod 6, n = 5, 3, 1.
  const offsets = tensor([5, 3, 1], { shape: [1, 3, 1, 1], device: images.device });
  const k = hue.add(offsets).remainder(6);
  const dip = k.minimum(k.neg().add(4)).clamp(0, 1);
  return value.sub(value.mul(saturation).mul(dip));
}
