import type { PixelFormat } from './decode.js';
import { createDecoder, type DecoderOptions } from './decoder.js';
import type { ImageSource } from './imageSource.js';

/** Decoded images of one size by row: from the originals, or from a prepared cache. */
export interface PixelSource {
  readonly format: PixelFormat;
  /** Write the pixels of a row into `out` at `offset`; rejects with the reason if the image cannot be read. */
  readInto(row: number, out: Uint8Array, offset: number): Promise<void>;
  /**
   * Write the pixels of rows one after another into `out`, all at once. False where that cannot be: then ask for each,
   * which also tells what is wrong with it. Left out where nothing is gained by it.
   */
  readAll?(rows: Int32Array, out: Uint8Array): Promise<boolean>;
  /** End what decodes; the dataset stays open. */
  close(): Promise<void>;
}

/**
 * Images decoded each time they are asked for.
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
