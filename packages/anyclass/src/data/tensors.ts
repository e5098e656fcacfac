// The part of `data` that needs libtorch: batches as tensors on a device, augmented there.

export { augmentImages, type Normalization } from './augmentation/augmentImages.js';
export {
  type Affine,
  type Box,
  type ColorChange,
  type ColorKind,
  encodeChanges,
  type ImageChanges,
  type Size,
} from './augmentation/changes.js';
export { type Movement, positionMap } from './augmentation/geometry.js';
export {
  type Augmentation,
  augmentations,
  type DrawOptions,
  drawChanges,
  type Jitter,
} from './augmentation/parameters.js';
export {
  type DeviceBatch,
  type DeviceBatchOptions,
  deviceBatch,
  deviceImages,
  type InputBatch,
} from './batches/deviceBatch.js';
