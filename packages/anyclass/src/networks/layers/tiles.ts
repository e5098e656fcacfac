// Large images in tiles. The network looks at overlapping parts of an image, and the image has a class if one of its parts has it:
// multiple-instance pooling, so that labels of whole images are enough to train.

import { cat, nn, type Tensor, tidy } from '@anyclass/torch';

/** How an image is cut into tiles of the network's input size. */
export interface Tiling {
  /** Height and width to which the whole image is brought before it is cut. */
  readonly imageSize: number;
  /** Pixels that neighboring tiles share at least, so that an object at a border is whole in one of them. */
  readonly overlap: number;
  /**
   * How scores of tiles become the image's. `max`: the highest. `noisy-or`: 1 - Π (1 - p), of tiles that are independent; then
   * every tile learns, not only the highest one.
   */
  readonly pool: 'max' | 'noisy-or';
}

/**
 * Where tiles begin along one side: evenly spaced, from the first pixel to the last.
 *
 * @example
 * tileStarts(64, { imageSize: 160, overlap: 16 }) // [0, 48, 96]
 */
export function tileStarts(
  size: number,
  { imageSize, overlap }: Pick<Tiling, 'imageSize' | 'overlap'>,
): number[] {
  const count = Math.ceil((imageSize - size) / (size - overlap)) + 1;
  return Array.from({ length: count }, (_, i) =>
    Math.round((i * (imageSize - size)) / Math.max(1, count - 1)),
  );
}

/** The first pixel of a tile. */
export interface TilePlace {
  readonly top: number;
  readonly left: number;
}

/** Where tiles are, row by row. */
export function tilePlaces(size: number, tiling: Tiling): TilePlace[] {
  const starts = tileStarts(size, tiling);
  return starts.flatMap((top) => starts.map((left) => ({ top, left })));
}

/**
 * Cuts tiles out of images [batch, channels, imageSize, imageSize], [tiles · batch, channels, size, size]: the first tile of all images,
 * then the second.
 */
export function cutTiles(images: Tensor, size: number, places: readonly TilePlace[]): Tensor {
  return cat(places.map(({ top, left }) => images.narrow(2, top, size).narrow(3, left, size)));
}

/**
 * Pools logits of tiles, [tiles, batch, classes], to those of images, [batch, classes].
 *
 * For `noisy-or`, -log(1 - p) of an image is the sum S of softplus(z) of its tiles, and its logit is log(exp(S) - 1) = S + log(2 t / (1 + t)), t being
 * tanh(S / 2), which is exact for small S. A tile's z is its logit minus log(tiles): a network that knows nothing yet then says about the same
 * of an image, however many tiles it has.
 *
 * @example
 * poolTiles(tensor([[[2]], [[-1]]]), 'max') // [[2]]
 */
export function poolTiles(logits: Tensor, pool: Tiling['pool']): Tensor {
  return tidy(() => {
    if (pool === 'max') return logits.amax([0]);
    const sum = nn.functional.softplus(tileEvidence(logits)).sum([0]).clamp(smallest);
    const t = sum.mul(0.5).tanh();
    return sum.add(t.mul(2).div(t.add(1)).log());
  });
}

/** Below this, softplus is 0 in single precision, and so would be the gradient. */
const smallest = 1e-30;

/** What a tile says by itself in a noisy or. */
export function tileEvidence(logits: Tensor): Tensor {
  return logits.to('float32').sub(Math.log(logits.shape[0] ?? 1));
}
