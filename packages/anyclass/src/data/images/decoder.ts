import { availableParallelism } from 'node:os';
import { decodeImage, decodeInto, decodeWithSharp, type PixelFormat } from './decode.js';
import type { StoredImage } from './imageSource.js';
import { decodeJpegFile } from './jpeg.js';
import { createDecodePool } from './pool/decodePool.js';
import { wasRead } from './storage.js';

/** Decodes images to one size, many at once. */
export interface Decoder {
  decode(image: StoredImage): Promise<Uint8Array>;
  /** Write the pixels into `out` at `offset`; rejects with the reason where the image cannot be decoded. */
  decodeInto(image: StoredImage, out: Uint8Array, offset: number): Promise<void>;
  /** The same for an image that is still to be read. A JPEG file is read by the thread that decodes it. */
  readInto(image: UnreadImage, out: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/** An image somewhere, such as a file or a cell of a table. */
export interface UnreadImage {
  /** Where it is a file of its own. */
  readonly path?: string | undefined;
  /** Rejects with the reason where it is missing or cannot be read. */
  read(): Promise<StoredImage>;
}

export interface DecoderOptions {
  /** Processes for sharp, see there; 0 for threads of this one. Default: one a core, but 0 on two or three cores. */
  readonly processes?: number;
}

/**
 * Decode JPEG in threads of this process, and what sharp decodes in processes of their own or here. The pixels are the
 * same either way; nothing is started before the first image needs it.
 *
 * @example
 * const decoder = createDecoder({ width: 224, height: 224, channels: 3 }, {});
 * await decoder.decodeInto({ kind: 'encoded', bytes }, new Uint8Array(150528), 0);
 * await decoder.close();
 */
export function createDecoder(format: PixelFormat, options: DecoderOptions): Decoder {
  const cores = availableParallelism();
  const { processes = cores >= 4 ? cores : 0 } = options;
  const pool = processes === 0 ? undefined : createDecodePool(format, processes);
  const decodeOther = async (image: StoredImage) =>
    pool && image.kind === 'encoded' ? pool.decode(image.bytes) : decodeWithSharp(image, format);
  return {
    decode: (image) => decodeImage(image, format, decodeOther),
    decodeInto: (image, out, offset) => decodeInto(image, format, out, offset, decodeOther),
    async readInto({ path, read }, out, offset) {
      if (path !== undefined && (await decodeJpegFile(path, format, out, offset))) return wasRead(path);
      await decodeInto(await read(), format, out, offset, decodeOther);
    },
    close: async () => pool?.close(),
  };
}
