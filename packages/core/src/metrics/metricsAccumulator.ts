import { checkLength, type FloatArray, rowsOf } from '../arrays/rowMajor.js';
import { measure } from './measure.js';
import type { MeasureOptions } from './measurement.js';
import type { Metrics } from './metrics.js';
import { areSameClasses, type Scored } from './scored.js';

interface Batch {
  readonly scores: FloatArray;
  readonly targets: FloatArray;
}

/**
 * Collects batches of scores and labels, and measures them all. AP, ROC-AUC and thresholds need every score, so the
 * batches are copied and kept (float32 scores stay float32), and the result is exact: the order and size of batches do
 * not matter, nor how they are distributed over accumulators.
 *
 * @example
 * const accumulator = new MetricsAccumulator(['crack', 'roots']);
 * accumulator.add(new Float64Array([0.9, 0.2]), [1, 0]);
 * accumulator.add(new Float64Array([0.6, 0.1, 0.3, 0.7]), [0, 0, 0, 1]);
 * accumulator.metrics().macroF1 // 0.8333333333333333
 */
export class MetricsAccumulator {
  readonly classNames: readonly string[];
  readonly #batches: Batch[] = [];

  constructor(classNames: readonly string[]) {
    this.classNames = [...classNames];
  }

  /** The number of rows collected. */
  get rows(): number {
    return this.#batches.reduce((sum, batch) => sum + batch.scores.length, 0) / this.classNames.length;
  }

  /** Adds rows; the arrays may be reused by the caller afterwards. */
  add(scores: FloatArray, targets: ArrayLike<number>): void {
    rowsOf('scores', scores.length, this.classNames.length);
    checkLength('targets', targets.length, scores.length, 'one per score');
    this.#batches.push({ scores: scores.slice(), targets: Float32Array.from(targets) });
  }

  /** Adds everything that another accumulator has collected. */
  merge(other: MetricsAccumulator): void {
    if (!areSameClasses(other.classNames, this.classNames)) {
      throw new RangeError(
        `cannot merge the classes ${other.classNames.join(', ')} into ${this.classNames.join(', ')}`,
      );
    }
    this.#batches.push(...other.#batches);
  }

  /** Returns all collected rows together. */
  scored(): Scored {
    const scores = this.#batches.map((batch) => batch.scores);
    return {
      scores: scores.every((part) => part instanceof Float32Array)
        ? joined(scores, Float32Array)
        : joined(scores, Float64Array),
      targets: joined(
        this.#batches.map((batch) => batch.targets),
        Float32Array,
      ),
      classNames: this.classNames,
    };
  }

  /** Returns the metrics of all collected rows. */
  metrics(options: MeasureOptions = {}): Metrics {
    return measure(this.scored(), options);
  }
}

function joined(parts: readonly FloatArray[], Floats: typeof Float32Array | typeof Float64Array): FloatArray {
  const whole = new Floats(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
