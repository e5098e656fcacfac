import type { FloatArray } from '../arrays/rowMajor.js';
import { sigmoid } from '../losses/logisticTerms.js';
import { areSameClasses } from '../metrics/scored.js';
import type { PlattScaling } from './plattScaling.js';
import { checkProbabilities, probabilityLogits } from './probabilityLogits.js';
import type { TemperatureScaling } from './temperatureScaling.js';

export type Calibration = TemperatureScaling | PlattScaling;

/**
 * Returns calibrated probabilities, in the same precision as the input.
 *
 * @example
 * const scaling = { kind: 'temperature', temperature: 2, atBound: false, fittedOn: 'validation' } as const;
 * calibrate(new Float64Array([0.9]), ['crack'], scaling) // 0.75 up to rounding
 */
export function calibrate(
  probabilities: FloatArray,
  classNames: readonly string[],
  calibration: Calibration,
): FloatArray {
  checkProbabilities(probabilities, classNames);
  if (calibration.kind === 'platt' && !areSameClasses(calibration.classNames, classNames)) {
    throw new RangeError(
      `the calibration is for the classes ${calibration.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
    );
  }
  const logits = probabilityLogits(probabilities);
  return probabilities.map((_, i) => {
    const j = i % classNames.length;
    return calibration.kind === 'temperature'
      ? sigmoid(logits[i]! / calibration.temperature)
      : sigmoid(calibration.slopes[j]! * logits[i]! + calibration.intercepts[j]!);
  });
}
