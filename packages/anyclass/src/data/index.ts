// Datasets: reading, splitting, decoding, preparing, and loading them. Everything that needs
// libtorch is in `tensors.ts`.

export { DataError } from '../errors/dataError.js';
export type { Quarantined } from '../events/runSummary.js';
export { type Batch, createLoader, type Loader, type LoaderOptions } from './batches/loader.js';
export { type CacheState, openPixels } from './cache/openCache.js';
export { type PrepareOptions, type PrepareResult, prepareCache } from './cache/prepareCache.js';
export {
  closeDataset,
  type Dataset,
  type Grouping,
  type Preparation,
  type Remark,
  type SplitName,
  type Splits,
  splitNames,
} from './dataset/dataset.js';
export type { ImageSource, StoredImage } from './dataset/imageSource.js';
export type { LabelMatrix } from './dataset/labelMatrix.js';
export type { NameTable } from './dataset/nameTable.js';
export type { PixelFormat } from './dataset/reading/pixelFormat.js';
export {
  absoluteDataset,
  type DatasetSpec,
  datasetName,
  datasetText,
  knownDatasets,
  parseDataset,
} from './datasetSpec.js';
export { type DigitsOptions, testDigitPlaces } from './digits/digits.js';
export { type Mnist, readMnist } from './digits/mnist.js';
export type { DigitPlace } from './digits/scene.js';
export { decodeImage } from './images/decoding/decode.js';
export type { DecoderOptions } from './images/decoding/decoder.js';
export { decodedPixels, type PixelSource } from './images/pixelSource.js';
export { type OpenOptions, openDataset } from './openDataset.js';
export { sewermlClasses } from './readers/known/sewerml.js';
export type { DrawOptions } from './splits/drawSplits.js';
export { loadSplits, saveSplits } from './splits/splitFiles.js';
export { chooseSubset, type SubsetOptions } from './splits/subset.js';
export type { UncertainPolicy } from './tables/labelCells.js';
