export { type FitThresholdsOptions, fitThresholds } from './fitThresholds.js';
export type { FittedThresholds } from './fittedThresholds.js';
export { type DecisionCurve, type ThresholdCurves, thresholdCurves } from './thresholdCurves.js';
