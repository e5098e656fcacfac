// The part of `data` that needs libtorch: batches as tensors on a device, augmented there.

export { jitterColours } from './augmentation/colour.js';
export { eraseBoxes } from './augmentation/erase.js';
export { cropAndResize, flipHorizontally, rotate } from './augmentation/geometry.js';
export {
  type Augmentation,
  augmentations,
  drawParameters,
  type SampleParameters,
} from './augmentation/parameters.js';
export { type DeviceBatch, type DeviceBatchOptions, deviceBatch } from './deviceBatch.js';
