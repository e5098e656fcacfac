export type { FittedThresholds } from '../metrics/fittedThresholds.js';
export { type FitThresholdsOptions, fitThresholds } from './fitThresholds.js';
export { fitSharedThreshold, type SharedThresholdOptions, sharedThreshold } from './sharedThreshold.js';
export { type DecisionCurve, type ThresholdCurves, thresholdCurves } from './thresholdCurves.js';
