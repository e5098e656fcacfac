import type { Outcome } from '../metrics/outcomes.js';
import { distanceTo, keepNeighbors, type Neighbors } from './neighbors.js';
import type { PixelStatistics } from './pixelStatistics.js';

/** Why an image is odd. */
export type OddReason =
  | 'too dark'
  | 'too bright'
  | 'overexposed'
  | 'almost one color'
  | 'less color than usual'
  | 'more color than usual'
  | 'unlike the training images';

/** Bounds that usual images keep, learned on validation. */
export interface Guard {
  /** The share of validation's images within each bound. */
  readonly quantile: number;
  readonly brightness: readonly [low: number, high: number];
  /** The least contrast. */
  readonly contrast: number;
  /** The largest share of overexposed pixels. */
  readonly overexposed: number;
  /** Null for gray inputs. */
  readonly color: readonly [low: number, high: number] | null;
  /** Embeddings of training images and the farthest distance to the nearest one; null if they are not known. */
  readonly training: (Neighbors & { readonly farthest: number }) | null;
}

/** What a guard is learned from. */
export interface GuardRows {
  /** Validation's images. */
  readonly pixels: readonly PixelStatistics[];
  /** The embeddings of training and validation images, row by row. Default none. */
  readonly embeddings?: {
    readonly width: number;
    readonly training: Float32Array;
    readonly validation: Float32Array;
  };
}

/**
 * Learns a guard against odd images: each bound is kept by the share `quantile` of validation's images.
 *
 * @example
 * const guard = fitGuard({ pixels: images.map((image) => pixelStatistics(image, 3)) }, 0.995);
 */
export function fitGuard({ pixels, embeddings }: GuardRows, quantile: number): Guard {
  if (!(quantile > 0.5 && quantile <= 1))
    throw new RangeError(`quantile is ${quantile}; expected a number above 0.5, up to 1`);
  if (pixels.length === 0) throw new RangeError('a guard needs images to learn from');
  const highest = (values: readonly number[]) => orderStatistic(values, quantile);
  const lowest = (values: readonly number[]) => -highest(values.map((value) => -value));
  const of = (name: 'brightness' | 'contrast' | 'overexposed') => pixels.map((each) => each[name]);
  const colors = pixels.flatMap(({ color }) => (color === null ? [] : [color]));
  const neighbors = embeddings && keepNeighbors(embeddings.training, embeddings.width);
  return {
    quantile,
    brightness: [lowest(of('brightness')), highest(of('brightness'))],
    contrast: lowest(of('contrast')),
    overexposed: highest(of('overexposed')),
    color: colors.length === 0 ? null : [lowest(colors), highest(colors)],
    training:
      neighbors && embeddings
        ? { ...neighbors, farthest: highest(distances(neighbors, embeddings.validation)) }
        : null,
  };
}

function distances(neighbors: Neighbors, embeddings: Float32Array): number[] {
  const distance = distanceTo(neighbors);
  const { width } = neighbors;
  return Array.from({ length: embeddings.length / width }, (_, row) =>
    distance(embeddings.subarray(row * width, (row + 1) * width)),
  );
}

/** The smallest value that at least this share of the values does not exceed. */
function orderStatistic(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  // Shares such as 0.999 times 1,000 are a little more than the whole number that is meant.
  return sorted[Math.max(0, Math.ceil(Number((share * sorted.length).toPrecision(12))) - 1)]!;
}

/**
 * Returns a function that says why an image is odd; undefined for a usual one. The first reason that applies is given, those that
 * a person sees at once before those that only the network sees.
 *
 * @example
 * const oddReason = createGuard(guard);
 * oddReason(pixelStatistics(black, 3)) // 'too dark'
 */
export function createGuard(
  guard: Guard,
): (pixels: PixelStatistics, embedding?: Float32Array | undefined) => OddReason | undefined {
  const { brightness, contrast, overexposed, color, training } = guard;
  const distance = training && distanceTo(training);
  return (pixels, embedding) => {
    if (pixels.brightness < brightness[0]) return 'too dark';
    if (pixels.overexposed > overexposed) return 'overexposed';
    if (pixels.brightness > brightness[1]) return 'too bright';
    if (pixels.contrast < contrast) return 'almost one color';
    if (color && pixels.color !== null && pixels.color < color[0]) return 'less color than usual';
    if (color && pixels.color !== null && pixels.color > color[1]) return 'more color than usual';
    if (training && distance && embedding && distance(embedding) > training.farthest)
      return 'unlike the training images';
    return undefined;
  };
}

/**
 * The outcome of an image that may be odd: what would be cleared is reviewed. An alarm stays one, so a guard takes nothing from
 * what is promised about missed positives, and adds nothing to false alarms.
 *
 * @example
 * guardedOutcome('clear', 'too dark') // 'review'
 * guardedOutcome('alarm', 'too dark') // 'alarm'
 */
export function guardedOutcome(outcome: Outcome, odd: OddReason | undefined): Outcome {
  return odd !== undefined && outcome === 'clear' ? 'review' : outcome;
}
