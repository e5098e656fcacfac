// Self-attention within windows, which may be shifted by half their size. Liu et al., "Swin Transformer", arXiv 2103.14030. Names as
// in timm's Swin.

import { keep, nn, type Tensor, tensor, zeros } from '@anyclass/torch';
import { isForKernels } from './gpuOperator.js';
import { headsOf, relativeBias, relativePositions } from './relativeAttention.js';
import { cutIntoSquares, joinSquares, type Squares } from './squares.js';

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
 * Maps [batch, height, width, channels] to the same shape, or maps that were cut by `squares` to theirs.
 *
 * Shifted windows have masks of their own, so each head of each window is a head of the kernel, and one mask serves every image. For that, tokens of
 * the same place in all windows are adjacent in memory: the map is cut as a grid with as many cells as there are windows.
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
  /** How to cut maps before; undefined if they must be padded. */
  readonly squares: Squares | undefined;
  /** How maps are cut that are rolled and padded. */
  readonly #order: Squares;
  readonly #options: WindowAttentionOptions;

  constructor(channels: number, options: WindowAttentionOptions) {
    super();
    const { window, shift, mapSide, headWidth } = options;
    this.#options = options;
    const perRow = Math.ceil(mapSide / window);
    this.#order = shift > 0 ? { axis: 'grid', side: perRow } : { axis: 'window', side: window };
    this.squares = mapSide % window === 0 ? { ...this.#order, shift } : undefined;
    this.relativePositionBiasTable = new nn.Parameter(zeros([(2 * window - 1) ** 2, channels / headWidth]));
    nn.init.truncatedNormal_(this.relativePositionBiasTable, 0, 0.02);
    this.relativePositionIndex = keep(
      tensor(relativePositions(window), { shape: [window ** 2, window ** 2], dtype: 'int64' }),
    );
    this.regions = options.shift > 0 ? regionsOf(options) : undefined;
    this.qkv = new nn.Linear(channels, 3 * channels);
    this.proj = new nn.Linear(channels, channels);
  }

  forward(x: Tensor): Tensor {
    if (x.ndim === 3) return this.#attend(x);
    const { window, shift } = this.#options;
    const [, height = 0, columns = 0] = x.shape;
    const whole = padToMultiple(shift > 0 ? x.roll([-shift, -shift], [1, 2]) : x, window);
    const attended = joinSquares(this.#attend(cutIntoSquares(whole, this.#order)), whole.shape, this.#order);
    const cut = attended.narrow(1, 0, height).narrow(2, 0, columns);
    return shift > 0 ? cut.roll([shift, shift], [1, 2]) : cut;
  }

  multiplyAdds(input: Tensor): number {
    const { window } = this.#options;
    const [batch = 0, height = 0, columns = 0] = input.shape;
    const channels = input.shape.at(-1) ?? 0;
    const tokens =
      input.ndim === 3
        ? batch * height
        : batch * window ** 2 * Math.ceil(height / window) * Math.ceil(columns / window);
    return 2 * tokens * window ** 2 * channels;
  }

  /** Attends among tokens that were cut. */
  #attend(x: Tensor): Tensor {
    const bias = relativeBias(this.relativePositionBiasTable, this.relativePositionIndex);
    const { headWidth } = this.#options;
    const heads = (x.shape.at(-1) ?? 0) / headWidth;
    const [[q, k, v], mask] = this.regions
      ? [this.#headsOfWindows(x, heads), bias.add(this.#apart(this.regions)).flatten(0, 1).unsqueeze(0)]
      : [headsOf(this.qkv.forward(x), heads), bias];
    const attended = nn.functional.scaledDotProductAttention(q, k, v, { mask });
    return this.proj.forward(attended.transpose(1, 2).reshape(x.shape));
  }

  /** Returns queries, keys and values of tokens [batch · length, windows, channels]: [batch, windows · heads, length, width of a head]. */
  #headsOfWindows(x: Tensor, heads: number): [Tensor, Tensor, Tensor] {
    const { window, headWidth } = this.#options;
    const length = window ** 2;
    const [rows = 0, windows = 0, channels = 0] = x.shape;
    const batch = rows / length;
    if (!isForKernels(x)) {
      return this.qkv
        .forward(x)
        .view([batch, length, windows, 3, heads, headWidth])
        .permute([3, 0, 2, 4, 1, 5])
        .reshape([3, batch, windows * heads, length, headWidth])
        .unbind(0) as [Tensor, Tensor, Tensor];
    }
    // If those of a head are adjacent, all heads of all windows are equally far apart, and no copy is needed.
    const byHead = (parameter: Tensor) =>
      parameter.view([3, heads, headWidth, -1]).transpose(0, 1).reshape(parameter.shape);
    const product = nn.functional.linear(x, byHead(this.qkv.weight), byHead(this.qkv.bias!));
    return headsOf(product.view([batch, length, windows * 3 * channels]), windows * heads, true);
  }

  /** What is added to the scores of each window: [windows, 1, query, key]. */
  #apart(regions: Tensor): Tensor {
    const differs = regions.unsqueeze(1).ne(regions.unsqueeze(2)).unsqueeze(1);
    return differs.to(this.relativePositionBiasTable.dtype).mul(apart);
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
