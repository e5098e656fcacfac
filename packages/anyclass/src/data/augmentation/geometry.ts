// Crop and rotation of batches, each image with its own parameters. The source position of each result pixel
// is computed on the device for all images at once; the formulas are torchvision's for tensors.

import { arange, type Device, type Tensor, tensor, tidy } from '@anyclass/torch';
import type { Box } from './parameters.js';

/**
 * Stretches a part of each image [N, C, H, W] to the full size, bilinear: torchvision's
 * `resized_crop` without antialiasing.
 *
 * @example
 * cropAndResize(images, [{ top: 0, left: 0, height: 112, width: 112 }]) // the upper left quarter
 */
export function cropAndResize(images: Tensor, crops: readonly Box[]): Tensor {
  const [, , height, width] = dimensions(images);
  return tidy(() => {
    const per = perImage(crops, images.device);
    // Pixel centers: (x + 1/2) · w / W - 1/2 within the crop, and never outside it.
    const along = (length: number, shape: readonly number[], start: Tensor, size: Tensor) => {
      const position = arange(0, length, 1, { device: images.device }).view(shape);
      const within = position.add(0.5).mul(size.div(length)).sub(0.5).clamp(0);
      return within.minimum(size.sub(1)).add(start);
    };
    const x = along(
      width,
      [1, 1, width],
      per((box) => box.left),
      per((box) => box.width),
    );
    const y = along(
      height,
      [1, height, 1],
      per((box) => box.top),
      per((box) => box.height),
    );
    const [left, top] = [x.floor(), y.floor()];
    const right = left.add(1).minimum(per((box) => box.left + box.width - 1));
    const bottom = top.add(1).minimum(per((box) => box.top + box.height - 1));
    const [alongX, alongY] = [x.sub(left).unsqueeze(1), y.sub(top).unsqueeze(1)];
    const upper = pick(images, left, top).lerp(pick(images, right, top), alongX.expand(images.shape));
    const lower = pick(images, left, bottom).lerp(pick(images, right, bottom), alongX.expand(images.shape));
    return upper.lerp(lower, alongY.expand(images.shape));
  });
}

/**
 * Rotates each image [N, C, H, W] about its center, counterclockwise, nearest neighbor;
 * pixels from outside are 0.
 *
 * @example
 * rotate(images, [5, -3]) // two images, by 5 and by -3 degrees
 */
export function rotate(images: Tensor, degrees: readonly number[]): Tensor {
  const [, , height, width] = dimensions(images);
  return tidy(() => {
    const per = perImage(degrees, images.device);
    const cosine = per((angle) => Math.cos((angle * Math.PI) / 180));
    const sine = per((angle) => Math.sin((angle * Math.PI) / 180));
    const centered = (length: number) =>
      arange(0, length, 1, { device: images.device }).sub((length - 1) / 2);
    const x = centered(width).view([1, 1, width]);
    const y = centered(height).view([1, height, 1]);
    const fromX = x
      .mul(cosine)
      .sub(y.mul(sine))
      .add((width - 1) / 2)
      .round();
    const fromY = x
      .mul(sine)
      .add(y.mul(cosine))
      .add((height - 1) / 2)
      .round();
    const inside = fromX
      .ge(0)
      .logicalAnd(fromX.le(width - 1))
      .logicalAnd(fromY.ge(0))
      .logicalAnd(fromY.le(height - 1));
    return pick(images, fromX.clamp(0, width - 1), fromY.clamp(0, height - 1)).mul(inside.unsqueeze(1));
  });
}

/** The values of each image at its own integer positions x, y, each broadcast to [N, H, W]. */
function pick(images: Tensor, x: Tensor, y: Tensor): Tensor {
  const [count, channels, height, width] = dimensions(images);
  const image = arange(0, count, 1, { device: images.device, dtype: 'int64' }).view([count, 1, 1]);
  const place = y
    .to('int64')
    .mul(width)
    .add(x.to('int64'))
    .add(image.mul(height * width));
  // As rows of channels, the memory layout of a channels-last batch: one gather of whole pixels.
  const pixels = images.permute([0, 2, 3, 1]).reshape([count * height * width, channels]);
  const picked = pixels.indexSelect(
    0,
    place.expand([count, height, width]).reshape([count * height * width]),
  );
  return picked.view([count, height, width, channels]).permute([0, 3, 1, 2]);
}

function perImage<T>(values: readonly T[], device: Device) {
  return (value: (of: T) => number) =>
    tensor(Float32Array.from(values, value), { shape: [values.length, 1, 1], device });
}

function dimensions(images: Tensor): [number, number, number, number] {
  const [count, channels, height, width] = images.shape;
  if (images.ndim !== 4 || !count || !channels || !height || !width) {
    throw new RangeError(`images of shape [${images.shape.join(', ')}]; expected [N, C, H, W]`);
  }
  return [count, channels, height, width];
}
