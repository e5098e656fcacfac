import { nn, type Tensor } from '@anyclass/torch';

/**
 * Moves each square of pixels into the channels: [batch, C, H, W] → [batch, C·size², H/size, W/size], with new channels
 * ordered by (row, column, old channel). This order keeps the pixels of a row adjacent in channels-last memory.
 *
 * @example
 * new SpaceToDepth(4).forward(zeros([1, 3, 224, 224])).shape // [1, 48, 56, 56]
 */
export class SpaceToDepth extends nn.Module {
  readonly #size: number;

  constructor(size: number) {
    super();
    this.#size = size;
  }

  forward(x: Tensor): Tensor {
    const size = this.#size;
    const [batch = 0, channels = 0, height = 0, width = 0] = x.shape;
    if (height % size !== 0 || width % size !== 0) {
      throw new RangeError(`SpaceToDepth: ${size} must divide the height ${height} and the width ${width}`);
    }
    const [rows, columns, depth] = [height / size, width / size, channels * size * size];
    if (x.isContiguous()) {
      const squares = x.view([batch, channels, rows, size, columns, size]).permute([0, 3, 5, 1, 2, 4]);
      return squares.reshape([batch, depth, rows, columns]);
    }
    const squares = x
      .permute([0, 2, 3, 1])
      .reshape([batch, rows, size, columns, size, channels])
      .permute([0, 1, 3, 2, 4, 5]);
    return squares.reshape([batch, rows, columns, depth]).permute([0, 3, 1, 2]);
  }
}
