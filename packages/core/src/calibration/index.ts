export { type Calibration, calibrate } from './calibrate.js';
export {
  type CalibrationChoice,
  type ChooseCalibrationOptions,
  chooseCalibration,
} from './chooseCalibration.js';
export { fitPlatt, type PlattScaling } from './plattScaling.js';
export { LARGEST_FLOAT32_LOGIT } from './probabilityLogits.js';
export {
  type Reliability,
  type ReliabilityBin,
  type ReliabilityCurve,
  type ReliabilityOptions,
  reliability,
} from './reliability.js';
export { fitTemperature, type TemperatureScaling } from './temperatureScaling.js';
