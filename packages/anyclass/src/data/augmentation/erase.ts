// Random erasing. Zhong et al., "Random Erasing Data Augmentation", arXiv 1708.04896. Boxes are filled with
// 0, as torchvision does by default; on normalized images, that is the mean color.

import { arange, type Tensor, tensor, tidy } from '@anyclass/torch';
import type { Box } from './parameters.js';

/**
 * Blanks out a rectangle in some of the images [N, C, H, W].
 *
 * @example
 * eraseBoxes(images, [{ top: 4, left: 4, height: 8, width: 8 }, undefined]) // in the first only
 */
export function eraseBoxes(images: Tensor, boxes: readonly (Box | undefined)[]): Tensor {
  return tidy(() => {
    const per = (value: (box: Box) => number) =>
      tensor(
        Float32Array.from(boxes, (box) => (box ? value(box) : 0)),
        {
          shape: [boxes.length, 1, 1, 1],
          device: images.device,
        },
      );
    const within = (length: number, shape: readonly number[], start: Tensor, end: Tensor) => {
      const position = arange(0, length, 1, { device: images.device }).view(shape);
      return position.ge(start).logicalAnd(position.lt(end));
    };
    const [, , height = 0, width = 0] = images.shape;
    const rows = within(
      height,
      [1, 1, height, 1],
      per((box) => box.top),
      per((box) => box.top + box.height),
    );
    const columns = within(
      width,
      [1, 1, 1, width],
      per((box) => box.left),
      per((box) => box.left + box.width),
    );
    return images.maskedFill(rows.logicalAnd(columns), 0);
  });
}
