import { type Calibration, calibrate, presenceScores, type Scored } from '@anyclass/core';

/** Scores, and the network's own if these were calibrated. */
export type CalibratedScores<Rows extends Scored = Scored> = Rows & {
  readonly uncalibrated?: Scored['scores'] | undefined;
};

/**
 * Returns calibrated scores exactly as everything that decides sees them: a network's scores rounded to
 * float32, as doubles. A fit on them is bit-identical to one on the saved files.
 *
 * Presence stays that of the scores before calibration: the calibration was fitted on validation, where the
 * gate is fitted too, and a promise needs a ranking that does not know these rows. Thresholds and what people
 * see are calibrated.
 *
 * @example
 * const { scores, presence } = calibratedScores(validation, { kind: 'temperature', temperature: 1.4 });
 */
export function calibratedScores<Rows extends Scored>(
  scored: Rows,
  calibration: Calibration | undefined,
): CalibratedScores<Rows> {
  const { scores, classNames } = scored;
  if (!calibration)
    return scores instanceof Float64Array ? scored : { ...scored, scores: Float64Array.from(scores) };
  const calibrated = calibrate(scores, classNames, calibration);
  const seen = scores instanceof Float32Array ? Float32Array.from(calibrated) : calibrated;
  return {
    ...scored,
    scores: Float64Array.from(seen),
    uncalibrated: scores,
    presence: presenceScores(Float64Array.from(scores), classNames.length),
  };
}
