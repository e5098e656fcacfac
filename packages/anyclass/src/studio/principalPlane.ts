// Vectors on the plane that keeps most of their variance: principal components, by the power method.

export interface Plane {
  /** Places from 0 to 1. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The share of the variance that the plane keeps. */
  readonly share: number;
}

const rounds = 30;

/**
 * Projects rows onto their first two principal components.
 *
 * @example
 * principalPlane(Float32Array.of(0, 0, 1, 0, 2, 0), 2).x // 0, 0.5, 1, or mirrored
 */
export function principalPlane(values: Float32Array, width: number): Plane {
  const rows = width === 0 ? 0 : values.length / width;
  const mean = new Float64Array(width);
  for (let i = 0; i < values.length; i++) mean[i % width] = mean[i % width]! + values[i]! / rows;
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i]! - mean[i % width]!) ** 2;
  const axes: Float64Array[] = [];
  const places: Float64Array[] = [];
  let kept = 0;
  for (let component = 0; component < 2; component++) {
    let axis = orthogonal(
      Float64Array.from({ length: width }, (_, k) => Math.sin(k * (component + 1) + 1)),
      axes,
    );
    for (let round = 0; round < rounds; round++)
      axis = orthogonal(backProjected(values, mean, projected(values, mean, axis)), axes);
    const place = projected(values, mean, axis);
    kept += place.reduce((sum, value) => sum + value * value, 0);
    axes.push(axis);
    places.push(scaled(place));
  }
  return { x: places[0]!, y: places[1]!, share: total === 0 ? 1 : Math.min(1, kept / total) };
}

function projected(values: Float32Array, mean: Float64Array, axis: Float64Array): Float64Array {
  const width = mean.length;
  return Float64Array.from({ length: values.length / Math.max(1, width) }, (_, row) => {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += (values[row * width + k]! - mean[k]!) * axis[k]!;
    return sum;
  });
}

function backProjected(values: Float32Array, mean: Float64Array, places: Float64Array): Float64Array {
  const width = mean.length;
  const axis = new Float64Array(width);
  places.forEach((place, row) => {
    for (let k = 0; k < width; k++) axis[k] = axis[k]! + place * (values[row * width + k]! - mean[k]!);
  });
  return axis;
}

/** Without the parts along other axes, at length 1; zeros if nothing is left. */
function orthogonal(axis: Float64Array, others: readonly Float64Array[]): Float64Array {
  const out = axis.slice();
  for (const other of others) {
    const along = out.reduce((sum, value, k) => sum + value * other[k]!, 0);
    out.forEach((value, k) => {
      out[k] = value - along * other[k]!;
    });
  }
  const length = Math.sqrt(out.reduce((sum, value) => sum + value * value, 0));
  return length < 1e-12 ? out.fill(0) : out.map((value) => value / length);
}

function scaled(values: Float64Array): Float64Array {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0.5));
}
