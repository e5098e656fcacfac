// Training images mixed with others of their batch. Zhang et al., "mixup: Beyond Empirical Risk Minimization", arXiv 1710.09412; Yun et
// al., "CutMix", arXiv 1905.04899, with torchvision's boxes. A union keeps all labels of both images, since both still show.

import { type RandomStream, randomStream } from '../random/philox.js';
import type { Box, Size } from './changes.js';

/** How many of the images are mixed in each way; an image is mixed once at most. */
export interface Mixing {
  readonly mixup: number;
  readonly cutMix: number;
  readonly union: number;
  /** Weights of mixup and areas of cutMix come from Beta(alpha, alpha). */
  readonly alpha: number;
}

/** The share of images that are mixed. */
export function mixedShare({ mixup, cutMix, union }: Mixing): number {
  return mixup + cutMix + union;
}

/** How one image is mixed with its partner. */
export interface Mixture {
  /** The image's own weight outside the box. */
  readonly weight: number;
  /** Where only the partner shows. */
  readonly box?: Box | undefined;
  /** The weight of the image's own labels; 'union' for the larger label of the two. */
  readonly labels: number | 'union';
}

/** Both images remain visible. */
const unionWeights = [0.4, 0.6] as const;

/**
 * The mixture of each image of a batch; undefined for one that stays as it is. It depends only on (seed, epoch, index).
 *
 * @example
 * drawMixtures({ mixup: 0, cutMix: 0, union: 1, alpha: 1 }, [42], { seed: 1, epoch: 0, size })[0] // { weight: 0.4 to 0.6, labels: 'union' }
 */
export function drawMixtures(
  mixing: Mixing,
  indices: ArrayLike<number>,
  { seed, epoch, size }: { readonly seed: number; readonly epoch: number; readonly size: Size },
): (Mixture | undefined)[] {
  return Array.from(indices, (index) =>
    drawMixture(mixing, randomStream('mixing', seed, epoch, index), size),
  );
}

function drawMixture(
  { mixup, cutMix, union, alpha }: Mixing,
  stream: RandomStream,
  size: Size,
): Mixture | undefined {
  const choice = stream.uniform();
  if (choice < mixup) {
    const weight = drawBeta(stream, alpha);
    return { weight, labels: weight };
  }
  if (choice < mixup + cutMix) {
    const box = drawBox(stream, drawBeta(stream, alpha), size);
    return { weight: 1, box, labels: 1 - (box.width * box.height) / (size.width * size.height) };
  }
  if (choice < mixup + cutMix + union) {
    const [low, high] = unionWeights;
    return { weight: low + (high - low) * stream.uniform(), labels: 'union' };
  }
  return undefined;
}

/** The place of the image that one is mixed with: its neighbor. The order of an epoch is random, so neighbors are, too. */
export function partnerOf(place: number, size: number): number {
  const partner = place ^ 1;
  return partner < size ? partner : place;
}

/**
 * Mixes the labels of a batch: N x classes, NaN for unknown. A mixed label is unknown if either is, except that the
 * union of anything with a present class is present.
 *
 * @example
 * mixLabels(Float32Array.of(1, 0, 0, 1), 2, [{ weight: 0.75, labels: 0.75 }, undefined]) // 0.75, 0.25, 0, 1
 */
export function mixLabels(
  targets: Float32Array,
  classes: number,
  mixtures: readonly (Mixture | undefined)[],
): Float32Array {
  const mixed = targets.slice();
  mixtures.forEach((mixture, place) => {
    if (!mixture) return;
    const [own, other] = [place * classes, partnerOf(place, mixtures.length) * classes];
    for (let j = 0; j < classes; j++) {
      mixed[own + j] = mixedLabel(targets[own + j]!, targets[other + j]!, mixture.labels);
    }
  });
  return mixed;
}

function mixedLabel(own: number, other: number, labels: Mixture['labels']): number {
  if (labels !== 'union') return labels * own + (1 - labels) * other;
  return own === 1 || other === 1 ? 1 : Math.max(own, other);
}

/** Torchvision's box: the given share of the image is left, unless the border cuts it. */
function drawBox(stream: RandomStream, left: number, { width, height }: Size): Box {
  const [x, y] = [stream.below(width), stream.below(height)];
  const half = 0.5 * Math.sqrt(1 - left);
  const [halfWidth, halfHeight] = [Math.trunc(half * width), Math.trunc(half * height)];
  const [start, top] = [Math.max(0, x - halfWidth), Math.max(0, y - halfHeight)];
  return {
    left: start,
    top,
    width: Math.min(width, x + halfWidth) - start,
    height: Math.min(height, y + halfHeight) - top,
  };
}

/** Beta(alpha, alpha) by Jöhnk's method, which suits small alpha: a ratio of powers, drawn again until their sum is at most 1. */
function drawBeta(stream: RandomStream, alpha: number): number {
  for (;;) {
    const first = stream.uniform() ** (1 / alpha);
    const sum = first + stream.uniform() ** (1 / alpha);
    if (sum > 0 && sum <= 1) return first / sum;
  }
}
