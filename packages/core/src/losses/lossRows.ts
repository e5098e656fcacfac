/** Per-row results, one entry per row. */
export interface LossRows {
  /** w̃ (J_base + α J_any), the terms of the sum. */
  readonly losses: Float64Array;
  /** J_base, the standard loss. */
  readonly base: Float64Array;
  /** J_any, the any-class term before α. */
  readonly anyClass: Float64Array;
  /** w̃, the instance weight. */
  readonly weights: Float64Array;
}

/**
 * Allocates buffers for per-row results, which can be reused from batch to batch.
 *
 * @example
 * const rows = lossRows(2);
 * anyClassLoss(new Float64Array(6), [1, 0, 0, 0, 0, 0], { classes: 3, base: 'bce', alpha: 0, rows });
 * rows.losses // 2.0794415416798357 twice: 3 log 2
 */
export function lossRows(rowCount: number): LossRows {
  return {
    losses: new Float64Array(rowCount),
    base: new Float64Array(rowCount),
    anyClass: new Float64Array(rowCount),
    weights: new Float64Array(rowCount),
  };
}
