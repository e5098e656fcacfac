// Which samples of a picture contribute to each pixel of the resized picture, along one axis.

/** How one axis is filtered: first plain means over several samples, then a weighted sum of those means for each pixel. */
export interface AxisFilter {
  /** Samples per mean. */
  readonly mean: number;
  /** For each pixel of the result, the first mean that it uses; next, the weights from there on. */
  readonly first: Int32Array;
  readonly weights: readonly Float32Array[];
}

export interface FilterOptions {
  /** Takes means over this many pixels first. Default 1, which takes none. */
  readonly mean?: number;
  /** How many means the picture covers. Default: pixels / mean, so the last may be covered only partly. */
  readonly extent?: number;
  /** Pixels per sample: 2 for the colors of most JPEGs, which are interpolated between samples. Default 1. */
  readonly pixelsPerSample?: 1 | 2;
  /**
   * Matches libvips: positions to the nearest 64th of a pixel, the last sample repeated beyond the edge, and weights
   * truncated to 12 bits. By default it matches Pillow.
   */
  readonly likeLibvips?: boolean;
}

/**
 * The triangle filter: bilinear between pixel centers when enlarging, and stretched over the pixels that become one when
 * shrinking. The weights are those of the package `anyclass` and of Pillow's antialiased bilinear.
 *
 * @example
 * axisFilter(4, 2).weights[0] // 3/7, 3/7, 1/7
 */
export function axisFilter(pixels: number, wanted: number, options: FilterOptions = {}): AxisFilter {
  const { mean = 1, extent = pixels / mean, pixelsPerSample = 1, likeLibvips = false } = options;
  // The larger of the two covers the whole step: a mean over two pixels that share one sample is that sample.
  const isInterpolated = pixelsPerSample > mean;
  const means = Math.ceil(pixels / mean);
  const scale = extent / wanted;
  const support = Math.max(scale, 1);
  const first = new Int32Array(wanted);
  const weights = Array.from({ length: wanted }, (_, i) => {
    const center = (i + 0.5) * scale;
    const spans = triangle(likeLibvips ? libvipsPosition(center) : center, support, means, likeLibvips);
    const onSamples = isInterpolated ? interpolated(spans, Math.ceil(pixels / pixelsPerSample)) : spans;
    first[i] = onSamples.first;
    return Float32Array.from(onSamples.weights, (weight) =>
      likeLibvips ? Math.trunc(4096 * weight) / 4096 : weight,
    );
  });
  return { mean: isInterpolated ? 1 : mean / pixelsPerSample, first, weights };
}

interface Span {
  readonly first: number;
  readonly weights: readonly number[];
}

/** libvips has tables of weights for 64 positions within a pixel and uses the nearest. */
function libvipsPosition(center: number): number {
  return Math.floor(64 * center + 0.5) / 64;
}

/** Returns the weights of the pixels around a center, which sum to one. */
function triangle(center: number, support: number, pixels: number, isRepeated: boolean): Span {
  const from = Math.floor(center - support + 0.5);
  const to = Math.floor(center + support + 0.5);
  const first = clamp(from, 0, pixels - 1);
  const weights = new Array<number>(clamp(to, first + 1, pixels) - first).fill(0);
  let sum = 0;
  for (let pixel = from; pixel < Math.max(to, from + 1); pixel++) {
    const weight = Math.max(0, 1 - Math.abs(pixel + 0.5 - center) / support);
    const nearest = clamp(pixel, first, first + weights.length - 1);
    if (!isRepeated && nearest !== pixel) continue;
    weights[nearest - first]! += weight;
    sum += weight;
  }
  return { first, weights: weights.map((weight) => weight / sum) };
}

/**
 * Converts the weights to samples that cover two pixels each. A pixel is three quarters its own sample and one quarter the
 * other nearest sample: libjpeg's 'fancy upsampling'.
 */
function interpolated({ first, weights }: Span, samples: number): Span {
  const sampleOf = (pixel: number) => Math.min(Math.floor(pixel / 2), samples - 1);
  const from = Math.max(0, sampleOf(first) - 1);
  const to = Math.min(samples - 1, sampleOf(first + weights.length - 1) + 1);
  const onSamples = new Array<number>(to - from + 1).fill(0);
  for (const [k, weight] of weights.entries()) {
    const pixel = first + k;
    const sample = sampleOf(pixel);
    const other = clamp(pixel % 2 === 0 ? sample - 1 : sample + 1, 0, samples - 1);
    onSamples[sample - from]! += 0.75 * weight;
    onSamples[other - from]! += 0.25 * weight;
  }
  return { first: from, weights: onSamples };
}

/** Returns a filter that leaves an axis unchanged. */
export function unchanged(pixels: number): AxisFilter {
  return {
    mean: 1,
    first: Int32Array.from({ length: pixels }, (_, i) => i),
    weights: Array(pixels).fill(Float32Array.of(1)),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
