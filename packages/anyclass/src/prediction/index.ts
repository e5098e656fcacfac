export { type ImageInput, imageInputs } from './imageInputs.js';
export { type OutputFormat, outputFormats, outputOf } from './outputFormats.js';
export {
  type FailedPrediction,
  openPredictor,
  type Prediction,
  type Predictor,
  type PredictorOptions,
} from './predictor.js';
