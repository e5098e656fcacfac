// The inputs of a network: images of one size, or feature vectors. In batches, both are bytes.

import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { type OpenPixelsOptions, openPixels } from '../cache/openCache.js';
import { imageBytes, type PixelFormat } from '../images/decoding/decode.js';
import type { ImageReading } from '../images/formats/unpack.js';
import type { Dataset } from './dataset.js';

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

/**
 * Opens a dataset's instances in the format that a network takes: its features, or its images,
 * from the cache if prepared.
 *
 * @throws DataError if the network takes the other kind
 *
 * @example
 * const { inputs, state } = await openInputs(dataset, { features: 294 }, undefined);
 */
export async function openInputs(
  dataset: Dataset,
  format: InputFormat,
  cache: string | undefined,
  options: OpenPixelsOptions = {},
): Promise<{ readonly inputs: InputSource; readonly state: string }> {
  const { features } = dataset;
  if (!isFeatureFormat(format)) {
    if (features) throw new DataError(`${dataset.name} has features; the network takes images`);
    const { pixels, state } = await openPixels(dataset, format, cache, options);
    return { inputs: pixels, state: state.text };
  }
  if (!features) throw new DataError(`${dataset.name} has images; the network takes features`);
  const width = features.names.length;
  if (width !== format.features) {
    throw new DataError(
      `${dataset.name} has ${counted(width, 'feature')}; the network takes ${format.features}`,
    );
  }
  const inputs: InputSource = {
    format,
    readInto: (row, out, offset) => features.read(Int32Array.of(row), floatsOf(out, offset, width)),
    async readAll(rows, out) {
      await features.read(rows, floatsOf(out, 0, rows.length * width));
      return true;
    },
    close: async () => {}, // the dataset closes them
  };
  return { inputs, state: `${counted(width, 'feature')} per row, standardized over the training rows` };
}

/** A view of a batch's bytes as numbers. */
export function floatsOf(bytes: Uint8Array, offset: number, count: number): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset + offset, count);
}
