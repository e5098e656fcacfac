/** Where in the image the evidence for a class is; rows run from the top. */
export interface HeatMap {
  readonly width: number;
  readonly height: number;
  /** Evidence for the class from 0 to 1, relative to the strongest. */
  readonly values: Float32Array;
  /** The strongest evidence: the logit of that cell alone, without the bias. */
  readonly peak: number;
}

/**
 * Returns the heat map of one class from the output `cam`, which holds class activation maps whose average is the logit.
 * Evidence against the class becomes 0.
 *
 * @example
 * heatMapOf(Float32Array.of(-1, 0, 2, 4), [1, 1, 2, 2], 0) // values 0, 0, 0.5, 1; peak 4
 */
export function heatMapOf(cam: Float32Array, shape: readonly number[], classIndex: number): HeatMap {
  const [height = 0, width = 0] = shape.slice(-2);
  const map = cam.subarray(classIndex * width * height, (classIndex + 1) * width * height);
  const peak = map.reduce((largest, value) => Math.max(largest, value), 0);
  const values = map.map((value) => (peak === 0 ? 0 : Math.max(0, value) / peak));
  return { width, height, values, peak };
}
