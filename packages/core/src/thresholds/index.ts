export type { FittedThresholds } from '../metrics/fittedThresholds.js';
export { type FitThresholdsOptions, fitThresholds } from './fitThresholds.js';
export { type DecisionCurve, type ThresholdCurves, thresholdCurves } from './thresholdCurves.js';
