export type { DownloadListener } from './download.js';
export type { ExportedModel, Preprocessing } from './exportedModel.js';
export type { HeatMap } from './heatMap.js';
export { decodeImage } from './images/decodeImage.js';
export type { PixelFormat } from './images/pixelFormat.js';
export { type Backend, findAdapter, type OnnxRuntime } from './onnxRuntime.js';
export { openPredictor, type Prediction, type Predictor, type PredictorOptions } from './predictor.js';
