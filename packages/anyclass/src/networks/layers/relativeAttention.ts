// Self-attention with a learned bias for each offset between two positions in a square.
// Shaw et al., "Self-Attention with Relative Position Representations", arXiv 1803.02155, in the form of Swin and MaxViT.
// As in torchvision's MaxViT, the scores are scaled by the square root of the whole width, not of one head's.

import { keep, nn, type Tensor, tensor, zeros } from '@anyclass/torch';

/**
 * Attention among the tokens of `side`x`side` squares: [squares, side², width] to the same shape.
 *
 * @example
 * new RelativeAttention(64, { headWidth: 32, side: 7 }).forward(randn([10, 49, 64])).shape // [10, 49, 64]
 */
export class RelativeAttention extends nn.Module {
  readonly relativePositionBiasTable: nn.Parameter;
  readonly relativePositionIndex: Tensor;
  readonly toQkv: nn.Linear;
  readonly merge: nn.Linear;
  readonly #heads: number;

  constructor(width: number, { headWidth, side }: { readonly headWidth: number; readonly side: number }) {
    super();
    this.#heads = width / headWidth;
    this.relativePositionBiasTable = new nn.Parameter(zeros([(2 * side - 1) ** 2, this.#heads]));
    nn.init.truncatedNormal_(this.relativePositionBiasTable, 0, 0.02);
    this.relativePositionIndex = keep(
      tensor(relativePositions(side), { shape: [side ** 2, side ** 2], dtype: 'int64' }),
    );
    this.toQkv = new nn.Linear(width, 3 * width);
    this.merge = new nn.Linear(width, width);
  }

  forward(x: Tensor): Tensor {
    const width = x.shape.at(-1) ?? 1;
    const [q, k, v] = headsOf(this.toQkv.forward(x), this.#heads);
    const mask = relativeBias(this.relativePositionBiasTable, this.relativePositionIndex);
    const attended = nn.functional.scaledDotProductAttention(q, k, v, { mask, scale: width ** -0.5 });
    return this.merge.forward(attended.transpose(1, 2).reshape(x.shape));
  }

  multiplyAdds(input: Tensor): number {
    const [squares = 0, length = 0, width = 0] = input.shape;
    return 2 * squares * length ** 2 * width;
  }
}

/**
 * Returns queries, keys and values, each [squares, heads, length, width / heads], as views of one product [squares, length, 3 · width], which the fused kernels
 * read in place. The product has all queries, all keys, all values, or with `isByHead` those of each head beside each other.
 *
 * @example
 * headsOf(qkv.forward(x), 2)[0].shape // [10, 2, 49, 32], of x [10, 49, 64]
 */
export function headsOf(product: Tensor, heads: number, isByHead = false): [Tensor, Tensor, Tensor] {
  const [squares = 0, length = 0, all = 0] = product.shape;
  const width = all / 3;
  const [rows, inRow] = isByHead ? [squares * length * heads, width / heads] : [squares * length, width];
  // Taken apart before they are transposed, so that backward joins their gradients by one copy.
  return product
    .view([rows, 3, inRow])
    .unbind(1)
    .map((part) => part.view([squares, length, heads, width / heads]).transpose(1, 2)) as [
    Tensor,
    Tensor,
    Tensor,
  ];
}

/**
 * Returns the bias for each query and key, [1, heads, query, key], in this order in memory too; libtorch has no fused kernel for any other.
 *
 * @example
 * relativeBias(table, index).shape // [1, 3, 49, 49], of a table [169, 3] and an index [49, 49]
 */
export function relativeBias(table: Tensor, index: Tensor): Tensor {
  const [, heads = 0] = table.shape;
  const gathered = table.indexSelect(0, index.flatten());
  return gathered
    .view([1, ...index.shape, heads])
    .permute([0, 3, 1, 2])
    .contiguous();
}

/**
 * Returns the table row for each query and key of a square: the row and column offsets, each shifted from [1 - side, side - 1] to
 * start at 0.
 *
 * @example
 * relativePositions(2) // 4, 3, 1, 0, 5, 4, …
 */
export function relativePositions(side: number): Int32Array {
  const positions = new Int32Array(side ** 4);
  const length = side ** 2;
  for (let query = 0; query < length; query++) {
    for (let key = 0; key < length; key++) {
      const rows = Math.floor(query / side) - Math.floor(key / side) + side - 1;
      const columns = (query % side) - (key % side) + side - 1;
      positions[query * length + key] = rows * (2 * side - 1) + columns;
    }
  }
  return positions;
}
