import { availableParallelism } from 'node:os';
import { decodeImage, type PixelFormat } from './decode.js';
import type { ImageSource } from './imageSource.js';
import { createDecodePool } from './pool/decodePool.js';

/** Decoded images of one size by row: from the originals, or from a prepared cache. */
export interface PixelSource {
  readonly format: PixelFormat;
  /** Write the pixels of a row into `out` at `offset`; rejects with the reason if the image cannot be read. */
  readInto(row: number, out: Uint8Array, offset: number): Promise<void>;
  /** End what decodes; the images stay open. */
  close(): Promise<void>;
}

/** Bytes of one decoded image. */
export function imageBytes({ width, height, channels }: PixelFormat): number {
  return width * height * channels;
}

/** Processes that decode: one a core; on two or three cores threads do as well and start at once. */
export function defaultDecodeProcesses(): number {
  const cores = availableParallelism();
  return cores >= 4 ? cores : 0;
}

/**
 * Images decoded each time they are asked for, in threads of this process or in `processes` of their own. The pixels are the
 * same either way.
 *
 * @example
 * const pixels = decodedPixels(dataset.images, { width: 224, height: 224, channels: 3 });
 * await pixels.readInto(0, new Uint8Array(150528), 0);
 */
export function decodedPixels(
  images: ImageSource,
  format: PixelFormat,
  { processes = defaultDecodeProcesses() }: { readonly processes?: number } = {},
): PixelSource {
  const pool = processes > 0 ? createDecodePool(format, processes) : undefined;
  return {
    format,
    async readInto(row, out, offset) {
      const image = await images.read(row);
      const pixels =
        pool && image.kind === 'encoded' ? await pool.decode(image.bytes) : await decodeImage(image, format);
      out.set(pixels, offset);
    },
    close: async () => pool?.close(),
  };
}
