// The inputs of a network: images of one size, or feature vectors. In batches, both are bytes.

import type { ImageReading } from './reading/pixelFormat.js';
import { imageBytes, type PixelFormat } from './reading/pixelFormat.js';

/** Vectors of this many single-precision numbers. */
export interface FeatureFormat {
  readonly features: number;
}

export type InputFormat = PixelFormat | FeatureFormat;

/** How images are prepared for a network. */
export interface ImagePreparation extends ImageReading {
  /** 1: images are decoded to gray, repeated on three channels for the network. */
  readonly channels: 1 | 3;
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** A network's features, which it standardizes itself. */
export interface FeatureNames {
  readonly features: readonly string[];
}

/** A model's input. */
export type ModelInput = ImagePreparation | FeatureNames;

export function isFeatureFormat(format: InputFormat): format is FeatureFormat {
  return 'features' in format;
}

export function takesFeatures<Input extends ModelInput>(input: Input): input is Input & FeatureNames {
  return 'features' in input;
}

/** Bytes of one instance in a batch. */
export function inputBytes(format: InputFormat): number {
  return isFeatureFormat(format) ? 4 * format.features : imageBytes(format);
}

/** Instances by row, all in one format. */
export interface InputSource {
  readonly format: InputFormat;
  /** Writes the bytes of a row into `out` at `offset`; rejects with the reason if it cannot be read. */
  readInto(row: number, out: Uint8Array, offset: number): Promise<void>;
  /** Writes several rows in one operation. Returns false if that is not possible; then read each row. */
  readAll?(rows: Int32Array, out: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
}

/** A view of a batch's bytes as numbers. */
export function floatsOf(bytes: Uint8Array, offset: number, count: number): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset + offset, count);
}
