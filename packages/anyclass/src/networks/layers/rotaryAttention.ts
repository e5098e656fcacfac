// Attention that knows positions by rotation. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding",
// arXiv 2104.09864, over two axes as in DINOv3 (Siméoni et al., arXiv 2508.10104): coordinates run from -1 to 1 over the image,
// whatever its size, and the first tokens, which have no position, are not turned.

import { cat, empty, keep, nn, ones, type Tensor, tensor, zeros } from '@anyclass/torch';

/** Cosines and sines of each token's angles: [tokens, width of a head]. */
export interface Rotation {
  readonly cosine: Tensor;
  readonly sine: Tensor;
}

/**
 * Self-attention with rotated queries and keys: [batch, tokens, width] to the same shape. Names as in PyTorch's
 * MultiheadAttention.
 *
 * @example
 * const rotation = imageRotation({ side: 14, prefix: 5, headWidth: 64 });
 * new RotaryAttention(384, 6, rotation).forward(tokens).shape // [batch, 201, 384]
 */
export class RotaryAttention extends nn.Module {
  readonly inProjWeight: nn.Parameter;
  readonly inProjBias: nn.Parameter;
  /** Keys have no bias, as in DINOv3: rotated, it would not cancel. */
  readonly inProjBiasMask: Tensor;
  readonly outProj: nn.Linear;
  readonly #heads: number;
  readonly #rotation: Rotation;

  constructor(width: number, heads: number, rotation: Rotation) {
    super();
    this.#heads = heads;
    this.#rotation = rotation;
    this.inProjWeight = new nn.Parameter(empty([3 * width, width]));
    this.inProjBias = new nn.Parameter(zeros([3 * width]));
    this.inProjBiasMask = keep(cat([ones([width]), zeros([width]), ones([width])]));
    this.outProj = new nn.Linear(width, width);
    nn.init.xavierUniform_(this.inProjWeight);
    nn.init.constant_(this.outProj.bias!, 0);
  }

  forward(x: Tensor): Tensor {
    const [batch = 0, length = 0, width = 0] = x.shape;
    const heads = this.#heads;
    const [q, k, v] = nn.functional
      .linear(x, this.inProjWeight, this.inProjBias.mul(this.inProjBiasMask))
      .view([batch, length, 3, heads, width / heads])
      .permute([2, 0, 3, 1, 4])
      .unbind(0);
    const attended = nn.functional.scaledDotProductAttention(this.#turned(q!), this.#turned(k!), v!);
    return this.outProj.forward(attended.transpose(1, 2).reshape([batch, length, width]));
  }

  multiplyAdds(input: Tensor): number {
    const [batch = 0, length = 0, width = 0] = input.shape;
    return batch * length * (this.inProjWeight.numel + 2 * length * width);
  }

  /** Turns pairs of channels; those of a pair are half a head's width apart. */
  #turned(x: Tensor): Tensor {
    const { cosine, sine } = this.#rotation;
    const [first, second] = x.chunk(2, -1);
    const across = cat([second!.neg(), first!], -1);
    return x.mul(cosine).add(across.mul(sine)).to(x.dtype);
  }
}

const temperature = 100;

/**
 * Returns the rotation of an image of `side`x`side` patches, after `prefix` tokens that have no position.
 *
 * @example
 * imageRotation({ side: 14, prefix: 5, headWidth: 64 }).cosine.shape // [201, 64]
 */
export function imageRotation(options: {
  readonly side: number;
  readonly prefix: number;
  readonly headWidth: number;
}): Rotation {
  const { side, prefix, headWidth } = options;
  const frequencies = headWidth / 4;
  const cosine = new Float64Array((prefix + side ** 2) * headWidth).fill(1);
  const sine = new Float64Array(cosine.length);
  for (let cell = 0; cell < side ** 2; cell++) {
    const coordinates = [Math.floor(cell / side), cell % side].map((place) => (2 * (place + 0.5)) / side - 1);
    for (let channel = 0; channel < headWidth; channel++) {
      const pair = channel % (headWidth / 2);
      const period = temperature ** ((2 * (pair % frequencies)) / (headWidth / 2));
      const angle = (2 * Math.PI * coordinates[Math.floor(pair / frequencies)]!) / period;
      const place = (prefix + cell) * headWidth + channel;
      cosine[place] = Math.cos(angle);
      sine[place] = Math.sin(angle);
    }
  }
  const shape = [prefix + side ** 2, headWidth];
  const buffer = (values: Float64Array) => keep(tensor(Float32Array.from(values), { shape }));
  return { cosine: buffer(cosine), sine: buffer(sine) };
}
