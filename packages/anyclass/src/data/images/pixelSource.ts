import type { ImageSource } from '../dataset/imageSource.js';
import type { PixelFormat } from '../dataset/reading/pixelFormat.js';
import { createDecoder, type DecoderOptions } from './decoding/decoder.js';

/** Decoded images of one size by row: from the originals, or from a prepared cache. */
export interface PixelSource {
  readonly format: PixelFormat;
  /**
   * Writes the pixels of a row into `out` at `offset`; rejects with the reason if the image cannot be read.
   */
  readInto(row: number, out: Uint8Array, offset: number): Promise<void>;
  /**
   * Writes the pixels of several rows one after another into `out`, in one operation. Returns false if that
   * is not possible; then read each row, which also gives the reason. Undefined if it would not be faster.
   */
  readAll?(rows: Int32Array, out: Uint8Array): Promise<boolean>;
  /** Stops the decoders; the dataset stays open. */
  close(): Promise<void>;
}

/**
 * Decodes images each time they are read.
 *
 * @example
 * const pixels = decodedPixels(dataset.images, { width: 224, height: 224, channels: 3 });
 * await pixels.readInto(0, new Uint8Array(150528), 0);
 */
export function decodedPixels(
  images: ImageSource,
  format: PixelFormat,
  options: DecoderOptions = {},
): PixelSource {
  const decoder = createDecoder(format, options);
  return {
    format,
    readInto: (row, out, offset) =>
      decoder.readInto({ path: images.path?.(row), read: () => images.read(row) }, out, offset),
    close: () => decoder.close(),
  };
}
