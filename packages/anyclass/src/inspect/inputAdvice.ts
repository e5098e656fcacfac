// Which input size fits the images: a network divides its input by its stride, and what is left must be enough positions
// for the objects.

import { defined } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import type { Dataset } from '../data/dataset/dataset.js';
import { networkStride } from '../networks/catalog.js';

/** The sizes that are considered. All networks that are suggested take them. */
const inputSizes = [32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448] as const;

/** How much an input may cost. */
export interface InputEffort {
  /** The positions per side that the last map needs at least. */
  readonly positions: number;
  /** Beyond this many pixels, larger images keep more detail, but cost more than is sensible without being asked for. */
  readonly detail: number;
}

/** With fewer positions per side in the last map, small objects are gone before the pool. */
const enoughPositions = 4;

/**
 * - `long` training on a GPU: on COCO's animals, 40 epochs that ended with 5 by 5 positions instead of 4 by 4 raised validation mAP from 52.3 to
 *   54.0, for half as much time again (docs/results.md);
 * - `short` training on a GPU;
 * - `cpu`: at 224 px, TResNet-S learns from ten images a second and core, and would have seen too few before anyone's patience ends.
 */
export const inputEfforts = {
  long: { positions: 5, detail: 224 },
  short: { positions: enoughPositions, detail: 224 },
  cpu: { positions: enoughPositions, detail: 128 },
} as const satisfies Record<string, InputEffort>;

/** What is left of images and objects at an input size. */
export interface InputView {
  readonly size: number;
  /** Positions per side of the last map. */
  readonly positions: number;
  /** The median side of objects in pixels, if boxes are known. */
  readonly objectSide?: number;
  /** The share of objects that are smaller than one position. */
  readonly belowPosition?: number;
}

/**
 * What is left at an input size.
 *
 * @param sides sides of objects as shares of the image's, ascending
 *
 * @example
 * inputView(128, 32, Float32Array.of(0.125, 0.25, 0.5)) // { size: 128, positions: 4, objectSide: 32, belowPosition: 0.333… }
 */
export function inputView(size: number, stride: number, sides?: Float32Array): InputView {
  const positions = Math.floor(size / stride);
  if (!sides || sides.length === 0) return { size, positions };
  const small = sides.findIndex((side) => side * size >= stride);
  return {
    size,
    positions,
    objectSide: median(sides) * size,
    belowPosition: small === -1 ? 1 : small / sides.length,
  };
}

export interface FittingInput {
  readonly size: number;
  /** Why, in words. */
  readonly reason: string;
}

/**
 * The smallest input size that keeps the detail of typical images, leaves enough positions, and gives half of the objects
 * at least one position. Images are not enlarged more than twice for the sake of objects.
 *
 * @param imageSide the shorter side of a typical image in pixels
 * @param sides sides of objects as shares of the image's, ascending, if known
 * @param unit the size is a multiple of it
 *
 * @example
 * fittingInput(64, 32) // { size: 128, reason: 'images of 64 px are enlarged: …' }
 */
export function fittingInput(
  imageSide: number,
  stride: number,
  sides?: Float32Array,
  { positions, detail }: InputEffort = inputEfforts.short,
  unit = stride,
): FittingInput {
  const ownSize = atLeast(Math.min(imageSide, detail), unit);
  const forPositions = atLeast(positions * stride, unit);
  const forObjects =
    sides && sides.length > 0 ? atLeast(Math.min(stride / median(sides), 2 * imageSide), unit) : ownSize;
  const size = Math.max(ownSize, forPositions, forObjects);
  if (size === ownSize) {
    const why =
      size >= 2 * imageSide
        ? `images of ${imageSide} px are enlarged to the smallest size that the network takes, which leaves`
        : `images of ${imageSide} px leave`;
    return { size, reason: `${why} ${leftAt(size, stride)}` };
  }
  const why =
    forObjects > forPositions
      ? `half of the objects are smaller than ${Math.round(median(sides!) * ownSize)} px at ${ownSize} px, and a position covers ${stride}`
      : `at ${ownSize} px, a stride of ${stride} leaves only ${leftAt(ownSize, stride)}`;
  const enlarged = size > imageSide ? `images of ${imageSide} px are enlarged: ` : '';
  return {
    size,
    reason: `${enlarged}${why}; at ${size} px, ${leftAt(size, stride)}. Training takes about ${timesAsLong(ownSize, size)} as long as at ${ownSize} px`,
  };
}

/**
 * A warning if the last map of a network is 3 by 3 positions or less.
 *
 * @example
 * smallMapWarning({ name: 'resnet-18', inputSize: 64 }) // ['warning: network.inputSize 64 leaves 2 by 2 positions …']
 */
export function smallMapWarning({
  name,
  inputSize,
  ...options
}: Pick<Configuration['network'], 'name' | 'inputSize'> & Partial<Configuration['network']>): string[] {
  const stride = networkStride(name, defined(options));
  if (
    typeof inputSize === 'string' ||
    stride === undefined ||
    Math.floor(inputSize / stride) >= enoughPositions
  )
    return [];
  const better = enoughPositions * stride;
  return [
    `warning: network.inputSize ${inputSize} leaves ${leftAt(inputSize, stride)} in the last map of ${name}, so small objects are lost; ${better} leaves ${leftAt(better, stride)} and takes about ${timesAsLong(inputSize, better)} as long`,
  ];
}

/** The sides of a dataset's objects as shares of the image's, ascending. */
export function sidesOf({ objects }: Pick<Dataset, 'objects'>): Float32Array | undefined {
  return objects?.sides.toSorted();
}

function leftAt(size: number, stride: number): string {
  const positions = Math.floor(size / stride);
  return positions === 1 ? 'one position' : `${positions} by ${positions} positions`;
}

function timesAsLong(from: number, to: number): string {
  const times = (to / from) ** 2;
  return `${times < 3 ? Math.round(10 * times) / 10 : Math.round(times)} times`;
}

function atLeast(side: number, unit: number): number {
  const whole = inputSizes.filter((size) => size % unit === 0);
  return whole.find((size) => size >= side) ?? whole.at(-1) ?? unit * Math.ceil(side / unit);
}

function median(ascending: Float32Array): number {
  return ascending[Math.floor(ascending.length / 2)]!;
}
