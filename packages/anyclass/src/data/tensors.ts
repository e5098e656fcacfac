// The part of `data` that needs libtorch: batches as tensors on a device, augmented there.

export { augmentImages, type Normalization } from './augmentation/augmentImages.js';
export { eraseBoxes } from './augmentation/erase.js';
export { cropAndResize, rotate } from './augmentation/geometry.js';
export {
  type Augmentation,
  augmentations,
  type BatchParameters,
  colorChanges,
  drawParameters,
  pixelChangesPerImage,
} from './augmentation/parameters.js';
export {
  type DeviceBatch,
  type DeviceBatchOptions,
  deviceBatch,
  deviceImages,
  type ImageBatch,
} from './deviceBatch.js';
