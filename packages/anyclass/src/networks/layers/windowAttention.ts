// Self-attention within windows, which may be shifted by half their size. Liu et al., "Swin Transformer", arXiv 2103.14030. Names as
// in timm's Swin.

import { keep, nn, type Tensor, tensor, zeros } from '@anyclass/torch';
import { relativePositions } from './relativeAttention.js';
import { cutIntoSquares, joinSquares } from './squares.js';

export interface WindowAttentionOptions {
  /** Side of a window in cells. */
  readonly window: number;
  /** How far windows are shifted; 0 for not at all. */
  readonly shift: number;
  /** Side of the maps, which need not be a multiple of the window's. */
  readonly mapSide: number;
  readonly headWidth: number;
}

/** What the scores of tokens from different parts of the image are lowered by, where a shifted window holds several. */
const apart = -100;

/**
 * Maps [batch, height, width, channels] to the same shape.
 *
 * @example
 * new WindowAttention(96, { window: 7, shift: 3, mapSide: 56, headWidth: 32 }).forward(zeros([1, 56, 56, 96]))
 */
export class WindowAttention extends nn.Module {
  readonly relativePositionBiasTable: nn.Parameter;
  readonly relativePositionIndex: Tensor;
  /** For each window, the part of the image that its tokens are from: [windows, side²]. */
  readonly regions: Tensor | undefined;
  readonly qkv: nn.Linear;
  readonly proj: nn.Linear;
  readonly #options: WindowAttentionOptions;

  constructor(channels: number, options: WindowAttentionOptions) {
    super();
    const { window, headWidth } = options;
    this.#options = options;
    this.relativePositionBiasTable = new nn.Parameter(zeros([(2 * window - 1) ** 2, channels / headWidth]));
    nn.init.truncatedNormal_(this.relativePositionBiasTable, 0, 0.02);
    this.relativePositionIndex = keep(
      tensor(relativePositions(window), { shape: [window ** 2, window ** 2], dtype: 'int64' }),
    );
    this.regions = options.shift > 0 ? regionsOf(options) : undefined;
    this.qkv = new nn.Linear(channels, 3 * channels);
    this.proj = new nn.Linear(channels, channels);
  }

  forward(map: Tensor): Tensor {
    const { window, shift } = this.#options;
    const [batch = 0, height = 0, columns = 0] = map.shape;
    const whole = padToMultiple(shift > 0 ? map.roll([-shift, -shift], [1, 2]) : map, window);
    const squares = { axis: 'window', side: window } as const;
    const attended = joinSquares(this.#attend(cutIntoSquares(whole, squares), batch), whole.shape, squares);
    const cut = attended.narrow(1, 0, height).narrow(2, 0, columns);
    return shift > 0 ? cut.roll([shift, shift], [1, 2]) : cut;
  }

  multiplyAdds(input: Tensor): number {
    const { window } = this.#options;
    const [batch = 0, height = 0, columns = 0, channels = 0] = input.shape;
    const windows = batch * Math.ceil(height / window) * Math.ceil(columns / window);
    return 2 * windows * window ** 4 * channels;
  }

  /** Attends within [batch · windows, side², channels]. */
  #attend(x: Tensor, batch: number): Tensor {
    const { headWidth } = this.#options;
    const [squares = 0, length = 0, channels = 0] = x.shape;
    const heads = channels / headWidth;
    // Windows with masks of their own count as heads, so that one mask serves every image.
    const groups = this.regions ? squares / batch : 1;
    const [q, k, v] = this.qkv
      .forward(x)
      .view([squares / groups, groups, length, 3, heads, headWidth])
      .permute([3, 0, 1, 4, 2, 5])
      .reshape([3, squares / groups, groups * heads, length, headWidth])
      .unbind(0);
    const attended = nn.functional
      .scaledDotProductAttention(q!, k!, v!, { mask: this.#mask(length, heads) })
      .view([squares / groups, groups, heads, length, headWidth])
      .transpose(2, 3)
      .reshape([squares, length, channels]);
    return this.proj.forward(attended);
  }

  /** Returns [1, groups · heads, query, key]. */
  #mask(length: number, heads: number): Tensor {
    const gathered = this.relativePositionBiasTable.indexSelect(0, this.relativePositionIndex.flatten());
    const bias = gathered.view([1, length, length, heads]).permute([0, 3, 1, 2]).contiguous();
    if (!this.regions) return bias;
    const differs = this.regions.unsqueeze(1).ne(this.regions.unsqueeze(2)).unsqueeze(1);
    return bias.add(differs.to(bias.dtype).mul(apart)).view([1, -1, length, length]);
  }
}

/**
 * Pads maps [batch, height, width, channels] at the bottom and right to multiples of a size.
 *
 * @example
 * padToMultiple(zeros([1, 25, 25, 96]), 7).shape // [1, 28, 28, 96]
 */
export function padToMultiple(map: Tensor, size: number): Tensor {
  const [, height = 0, columns = 0] = map.shape;
  const [bottom, right] = [height, columns].map((side) => (size - (side % size)) % size);
  return bottom || right ? nn.functional.pad(map, [0, 0, 0, right ?? 0, 0, bottom ?? 0]) : map;
}

/**
 * Numbers the parts that a shifted map consists of: along each axis everything before the last window, then what the last window
 * holds of the end, then what it holds of the beginning.
 */
function regionsOf({ window, shift, mapSide }: WindowAttentionOptions): Tensor {
  const perRow = Math.ceil(mapSide / window);
  const side = perRow * window;
  const part = (place: number) => (place < side - window ? 0 : place < side - shift ? 1 : 2);
  const numbers = new Int32Array(side ** 2);
  for (let square = 0; square < perRow ** 2; square++) {
    for (let cell = 0; cell < window ** 2; cell++) {
      const row = Math.floor(square / perRow) * window + Math.floor(cell / window);
      const column = (square % perRow) * window + (cell % window);
      numbers[square * window ** 2 + cell] = 3 * part(row) + part(column);
    }
  }
  return keep(tensor(numbers, { shape: [perRow ** 2, window ** 2], dtype: 'int64' }));
}
