// Random changes to training images. Ranges and distributions are torchvision's.

import type { Preparation } from '../dataset/dataset.js';
import { type RandomStream, randomStream } from '../random/philox.js';
import {
  type Box,
  type ColorChange,
  type ColorKind,
  colorKinds,
  encodeChanges,
  type ImageChanges,
  type Size,
} from './changes.js';
import { type Movement, positionMap } from './geometry.js';

/** Random changes to training images; each is off unless given. */
export interface Augmentation {
  /** Stretch a part of the image to the full size: the part's area as a fraction, and its width / height. */
  readonly resizedCrop?: {
    readonly scale: readonly [number, number];
    readonly ratio: readonly [number, number];
  };
  /** Rotate by at most this many degrees either way, with black outside. */
  readonly rotation?: number;
  /** Magnify the center by a factor in this range, as likely halved as doubled; below 1, the border is black. */
  readonly zoom?: readonly [number, number];
  /** Change colors by at most this fraction either way, in random order; hue in turns of the color wheel. */
  readonly jitter?: Jitter;
  /** Probability of a horizontal flip. */
  readonly flip?: number;
  /** Probability of a vertical flip. */
  readonly verticalFlip?: number;
  /** Blank out a rectangle: the probability, the rectangle's area as a fraction, and its width / height. */
  readonly erasing?: {
    readonly probability: number;
    readonly scale: readonly [number, number];
    readonly ratio: readonly [number, number];
  };
  /** Blur with a Gaussian: the probability, and the range of its standard deviation in pixels of the result. */
  readonly blur?: { readonly probability: number; readonly sigma: readonly [number, number] };
  /** The artifacts of a JPEG file: the probability, and the range of its quality from 1 to 100. */
  readonly jpeg?: { readonly probability: number; readonly quality: readonly [number, number] };
  /** One change per image, drawn from nine, up to this strength from 0 to 1; see `drawTrivial`. */
  readonly trivial?: number;
  /** How crops, rotations and zooms read between pixels. Default bilinear. */
  readonly interpolation?: 'nearest' | 'bilinear';
}

export type Jitter = Readonly<Record<ColorKind, number>>;

/** The paper's augmentation for each kind of image, and one for longer training, which scored best on validation in docs/results.md. */
export const augmentations: Readonly<Record<Preparation['augmentation'] | 'crops', Augmentation>> = {
  crops: {
    resizedCrop: { scale: [0.35, 1], ratio: [3 / 4, 4 / 3] },
    rotation: 10,
    jitter: { brightness: 0.3, contrast: 0.3, saturation: 0.3, hue: 0 },
    flip: 0.5,
  },
  photograph: { jitter: { brightness: 0.1, contrast: 0.1, saturation: 0.1, hue: 0.1 }, flip: 0.5 },
  'x-ray': { rotation: 5, interpolation: 'nearest', flip: 0.5 },
  none: {},
};

export interface DrawOptions {
  readonly seed: number;
  readonly epoch: number;
  /** The size of the images. */
  readonly size: Size;
  /** The size of the result. Default: that of the images. */
  readonly resultSize?: Size | undefined;
}

/**
 * Draws the random changes for a batch, encoded for `augmentImages`. Each image's depend only on (seed, epoch,
 * index), so they are the same in any batch, thread, and number of processes, and after a restart.
 *
 * @example
 * drawChanges({ flip: 1 }, [42], { seed: 1, epoch: 0, size: { width: 224, height: 224 } })[0] // -1: from right to left
 */
export function drawChanges(
  augmentation: Augmentation,
  indices: ArrayLike<number>,
  options: DrawOptions,
): Float32Array {
  return encodeChanges(Array.from(indices, (index) => drawOne(augmentation, index, options)));
}

/** The changes to one image. */
export function drawOne(
  augmentation: Augmentation,
  index: number,
  { seed, epoch, size, resultSize = size }: DrawOptions,
): ImageChanges {
  const { resizedCrop, rotation = 0, zoom, jitter, flip = 0, verticalFlip = 0, erasing } = augmentation;
  const stream = randomStream('augmentation', seed, epoch, index);
  const part = resizedCrop ? drawCrop(stream, resizedCrop, size) : { top: 0, left: 0, ...size };
  const angle = rotation === 0 ? 0 : between(stream, -rotation, rotation);
  const colors = jitter ? drawColors(stream, jitter) : [];
  const isMirrored = stream.uniform() < flip;
  const erased =
    erasing && stream.uniform() < erasing.probability ? drawErased(stream, erasing, resultSize) : undefined;
  const isFlipped = verticalFlip > 0 && stream.uniform() < verticalFlip;
  const magnified = zoom ? logBetween(stream, zoom) : 1;
  const movement = { part, angle, zoom: magnified, isMirrored, isFlipped };
  const { interpolation = 'bilinear', trivial, blur, jpeg } = augmentation;
  const {
    colors: drawn = [],
    angle: turned = 0,
    ...moved
  } = trivial === undefined ? {} : drawTrivial(stream, trivial);
  const map = positionMap({ ...movement, ...moved, angle: angle + turned }, resultSize);
  return {
    map,
    part,
    interpolation,
    colors: [...colors, ...drawn],
    erased,
    blur: blur && stream.uniform() < blur.probability ? between(stream, ...blur.sigma) : undefined,
    quality: jpeg && stream.uniform() < jpeg.probability ? drawQuality(stream, jpeg.quality) : undefined,
  };
}

/** A whole number, all in the range alike. */
function drawQuality(stream: RandomStream, [low, high]: readonly [number, number]): number {
  return low + stream.below(high - low + 1);
}

type TrivialChange = Pick<Movement, 'angle' | 'shear' | 'shift'> & {
  readonly colors?: readonly ColorChange[];
};

/**
 * One change of uniform strength in either direction: TrivialAugment. Müller and Hutter, arXiv 2103.10158, with torchvision's wide ranges and
 * those nine of its fourteen operations that are maps of positions or colors: none, brightness, contrast, saturation, rotation, shears and shifts.
 */
function drawTrivial(stream: RandomStream, strength: number): TrivialChange {
  const choice = stream.below(9);
  const amount = strength * between(stream, -1, 1);
  const colored = (kind: ColorKind) => ({ colors: [{ kind, factor: 1 + 0.99 * amount }] });
  const changes = [
    {},
    colored('brightness'),
    colored('contrast'),
    colored('saturation'),
    { angle: 135 * amount },
    { shear: [0.99 * amount, 0] },
    { shear: [0, 0.99 * amount] },
    { shift: [amount / 7, 0] },
    { shift: [0, amount / 7] },
  ] as const;
  return changes[choice]!;
}

/**
 * Like torchvision's RandomResizedCrop.get_params: ten attempts, then the largest
 * centered part within the ratio.
 */
function drawCrop(
  stream: RandomStream,
  range: NonNullable<Augmentation['resizedCrop']>,
  { width, height }: Size,
): Box {
  const box = drawBox(stream, range, { width, height }, { width, height });
  if (box) return box;
  const [narrowest, widest] = range.ratio;
  const cropWidth = width / height > widest ? Math.round(height * widest) : width;
  const cropHeight = width / height < narrowest ? Math.round(width / narrowest) : height;
  return {
    top: Math.floor((height - cropHeight) / 2),
    left: Math.floor((width - cropWidth) / 2),
    height: cropHeight,
    width: cropWidth,
  };
}

/** Torchvision never erases a whole row or column. */
function drawErased(
  stream: RandomStream,
  range: NonNullable<Augmentation['erasing']>,
  { width, height }: Size,
): Box | undefined {
  return drawBox(stream, range, { width, height }, { width: width - 1, height: height - 1 });
}

/** A box of random area, ratio, and position, no larger than `most`; undefined after ten failed attempts. */
function drawBox(
  stream: RandomStream,
  { scale, ratio }: { readonly scale: readonly [number, number]; readonly ratio: readonly [number, number] },
  image: Size,
  most: Size,
): Box | undefined {
  for (let attempt = 0; attempt < 10; attempt++) {
    const area = image.width * image.height * between(stream, ...scale);
    const proportion = logBetween(stream, ratio);
    const width = Math.round(Math.sqrt(area * proportion));
    const height = Math.round(Math.sqrt(area / proportion));
    if (width < 1 || height < 1 || width > most.width || height > most.height) continue;
    const left = stream.below(image.width - width + 1);
    return { top: stream.below(image.height - height + 1), left, height, width };
  }
  return undefined;
}

/** All changes in random order; one with a range of 0 is left out. */
function drawColors(stream: RandomStream, jitter: Jitter): ColorChange[] {
  const changes = colorKinds.map((kind) => {
    const most = jitter[kind];
    const factor =
      kind === 'hue' ? between(stream, -most, most) : between(stream, Math.max(0, 1 - most), 1 + most);
    return { kind, factor };
  });
  for (let i = changes.length - 1; i > 0; i--) {
    const other = stream.below(i + 1);
    [changes[i], changes[other]] = [changes[other]!, changes[i]!];
  }
  return changes.filter(({ kind }) => jitter[kind] > 0);
}

function between(stream: RandomStream, low: number, high: number): number {
  return low + (high - low) * stream.uniform();
}

function logBetween(stream: RandomStream, [low, high]: readonly [number, number]): number {
  return Math.exp(between(stream, Math.log(low), Math.log(high)));
}
