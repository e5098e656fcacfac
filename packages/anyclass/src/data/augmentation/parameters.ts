import type { Preparation } from '../dataset.js';
import { type RandomStream, randomStream } from '../philox.js';

/** What is done to training images at random; each part is left out unless given. */
export interface Augmentation {
  /** Take a part of the image and stretch it to the whole: its area as a share, its width / height. */
  readonly resizedCrop?: {
    readonly scale: readonly [number, number];
    readonly ratio: readonly [number, number];
  };
  /** Turn by at most so many degrees either way, nearest neighbour, what comes in from outside is black. */
  readonly rotation?: number;
  /** Change by at most this share either way, in random order; hue in turns of the colour circle. */
  readonly jitter?: Jitter;
  /** Chance of a horizontal flip. */
  readonly flip?: number;
  /** Blank out a rectangle: the chance, its area as a share, its width / height. */
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

/** The rectangle of whole pixels that something happens to. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** One of the four changes of colour, with its factor (hue: the shift in turns). */
export interface ColourChange {
  readonly kind: keyof Jitter;
  readonly factor: number;
}

/** What happens to one image in one epoch. */
export interface SampleParameters {
  readonly crop: Box | undefined;
  /** Degrees, counter-clockwise. */
  readonly angle: number;
  /** In the order in which they are applied. */
  readonly colour: readonly ColourChange[];
  readonly flip: boolean;
  readonly erase: Box | undefined;
}

/** The paper's augmentation for each kind of images. */
export const augmentations: Readonly<Record<Preparation['augmentation'], Augmentation>> = {
  photograph: { jitter: { brightness: 0.1, contrast: 0.1, saturation: 0.1, hue: 0.1 }, flip: 0.5 },
  'x-ray': { rotation: 5, flip: 0.5 },
  none: {},
};

/**
 * Draw what happens to an image: from (seed, epoch, index) alone, so that it is the same whatever the batch, the thread,
 * the number of processes, and after a restart. Ranges and distributions are torchvision's.
 *
 * @example
 * drawParameters(augmentations.photograph, { seed: 1, epoch: 0, index: 42, width: 224, height: 224 }).flip // true or false
 */
export function drawParameters(
  augmentation: Augmentation,
  of: Size & { readonly seed: number; readonly epoch: number; readonly index: number },
): SampleParameters {
  const stream = randomStream('augmentation', of.seed, of.epoch, of.index);
  const { resizedCrop, rotation = 0, jitter, flip = 0, erasing } = augmentation;
  const crop = resizedCrop && drawCrop(stream, resizedCrop, of);
  const angle = rotation === 0 ? 0 : between(stream, -rotation, rotation);
  const colour = jitter ? drawColour(stream, jitter) : [];
  const flipped = stream.uniform() < flip;
  const erased = stream.uniform() < (erasing?.probability ?? 0);
  // Torchvision never erases a whole row or column.
  const most = { width: of.width - 1, height: of.height - 1 };
  return {
    crop,
    angle,
    colour,
    flip: flipped,
    erase: erasing && erased ? drawBox(stream, erasing, of, most) : undefined,
  };
}

/** As torchvision's RandomResizedCrop.get_params: ten tries, then the largest centred part within the ratio. */
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

/** A box of random area and proportion, anywhere in the image, no larger than `most`; or none after ten tries. */
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

function drawColour(stream: RandomStream, jitter: Jitter): ColourChange[] {
  const changes: ColourChange[] = (['brightness', 'contrast', 'saturation'] as const).map((kind) => ({
    kind,
    factor: between(stream, Math.max(0, 1 - jitter[kind]), 1 + jitter[kind]),
  }));
  changes.push({ kind: 'hue', factor: between(stream, -jitter.hue, jitter.hue) });
  for (let i = changes.length - 1; i > 0; i--) {
    const j = stream.below(i + 1);
    [changes[i], changes[j]] = [changes[j]!, changes[i]!];
  }
  return changes.filter(({ kind }) => jitter[kind] > 0);
}

function between(stream: RandomStream, low: number, high: number): number {
  return low + (high - low) * stream.uniform();
}
