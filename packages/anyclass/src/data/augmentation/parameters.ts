import type { Preparation } from '../dataset.js';
import { type RandomStream, randomStream } from '../philox.js';

/** Random changes to training images; each is off unless given. */
export interface Augmentation {
  /** Stretch a part of the image to the full size: the part's area as a fraction, and its width / height. */
  readonly resizedCrop?: {
    readonly scale: readonly [number, number];
    readonly ratio: readonly [number, number];
  };
  /** Rotate by at most this many degrees either way, nearest neighbor, with black outside. */
  readonly rotation?: number;
  /** Change colors by at most this fraction either way, in random order; hue in turns of the color wheel. */
  readonly jitter?: Jitter;
  /** Probability of a horizontal flip. */
  readonly flip?: number;
  /** Blank out a rectangle: the probability, the rectangle's area as a fraction, and its width / height. */
  readonly erasing?: {
    readonly probability: number;
    readonly scale: readonly [number, number];
    readonly ratio: readonly [number, number];
  };
}

export interface Jitter {
  readonly brightness: number;
  readonly contrast: number;
  readonly saturation: number;
  readonly hue: number;
}

/** A rectangle of whole pixels. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/**
 * The random changes to a batch's images in one epoch; undefined for those that the augmentation leaves out.
 */
export interface BatchParameters {
  readonly crops: readonly Box[] | undefined;
  /** Degrees, counterclockwise. */
  readonly angles: readonly number[] | undefined;
  /** A row of `pixelChangesPerImage` numbers for each image, as `augmentImages` expects. */
  readonly pixelChanges: Float32Array;
  readonly erased: readonly (Box | undefined)[] | undefined;
}

/** Whether the image is flipped, then four color changes in order, each as its kind and factor. */
export const pixelChangesPerImage = 9;

/** The codes of color changes in a row of numbers; 0 is none. For hue, the factor is the shift in turns. */
export const colorChanges: Readonly<Record<keyof Jitter, number>> = {
  brightness: 1,
  contrast: 2,
  saturation: 3,
  hue: 4,
};

/** The paper's augmentation for each kind of image. */
export const augmentations: Readonly<Record<Preparation['augmentation'], Augmentation>> = {
  photograph: { jitter: { brightness: 0.1, contrast: 0.1, saturation: 0.1, hue: 0.1 }, flip: 0.5 },
  'x-ray': { rotation: 5, flip: 0.5 },
  none: {},
};

/**
 * Draws the random changes for a batch. Each image's depend only on (seed, epoch, index), so they are
 * the same in any batch, thread, and number of processes, and after a restart. Ranges and
 * distributions are torchvision's.
 *
 * @example
 * drawParameters({ flip: 1 }, { seed: 1, epoch: 0, indices: [42], width: 224, height: 224 }).pixelChanges[0] // 1
 */
export function drawParameters(
  augmentation: Augmentation,
  of: Size & { readonly seed: number; readonly epoch: number; readonly indices: ArrayLike<number> },
): BatchParameters {
  const { resizedCrop, rotation = 0, jitter, flip = 0, erasing } = augmentation;
  // Torchvision never erases a whole row or column.
  const most = { width: of.width - 1, height: of.height - 1 };
  const crops: Box[] = [];
  const angles: number[] = [];
  const pixelChanges = new Float32Array(of.indices.length * pixelChangesPerImage);
  const erased: (Box | undefined)[] = [];
  for (let i = 0; i < of.indices.length; i++) {
    const stream = randomStream('augmentation', of.seed, of.epoch, of.indices[i]!);
    const row = i * pixelChangesPerImage;
    if (resizedCrop) crops.push(drawCrop(stream, resizedCrop, of));
    if (rotation !== 0) angles.push(between(stream, -rotation, rotation));
    if (jitter) drawColor(stream, jitter, pixelChanges, row + 1);
    if (stream.uniform() < flip) pixelChanges[row] = 1;
    if (erasing) {
      erased.push(stream.uniform() < erasing.probability ? drawBox(stream, erasing, of, most) : undefined);
    }
  }
  return {
    crops: resizedCrop && crops,
    angles: rotation === 0 ? undefined : angles,
    pixelChanges,
    erased: erasing && erased,
  };
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

interface Size {
  readonly width: number;
  readonly height: number;
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
    const proportion = Math.exp(between(stream, Math.log(ratio[0]), Math.log(ratio[1])));
    const width = Math.round(Math.sqrt(area * proportion));
    const height = Math.round(Math.sqrt(area / proportion));
    if (width < 1 || height < 1 || width > most.width || height > most.height) continue;
    const left = stream.below(image.width - width + 1);
    return { top: stream.below(image.height - height + 1), left, height, width };
  }
  return undefined;
}

/** Writes pairs of kind and factor in random order; a change with a range of 0 gets kind 0. */
function drawColor(stream: RandomStream, jitter: Jitter, pairs: Float32Array, start: number): void {
  let at = start;
  const write = (kind: keyof Jitter, low: number, high: number) => {
    pairs[at++] = jitter[kind] > 0 ? colorChanges[kind] : 0;
    pairs[at++] = between(stream, low, high);
  };
  const around1 = (kind: keyof Jitter) => write(kind, Math.max(0, 1 - jitter[kind]), 1 + jitter[kind]);
  around1('brightness');
  around1('contrast');
  around1('saturation');
  write('hue', -jitter.hue, jitter.hue);
  for (let i = 3; i > 0; i--) {
    const one = start + 2 * i;
    const other = start + 2 * stream.below(i + 1);
    [pairs[one], pairs[other]] = [pairs[other]!, pairs[one]!];
    [pairs[one + 1], pairs[other + 1]] = [pairs[other + 1]!, pairs[one + 1]!];
  }
}

function between(stream: RandomStream, low: number, high: number): number {
  return low + (high - low) * stream.uniform();
}
