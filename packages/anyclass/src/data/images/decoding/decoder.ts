import { availableParallelism } from 'node:os';
import type { StoredImage } from '../../dataset/imageSource.js';
import type { PixelFormat } from '../../dataset/reading/pixelFormat.js';
import { imageKind } from '../formats/imageKind.js';
import { wasRead } from '../storage/storage.js';
import { decodeImage, decodeInto, decodeWithSharp } from './decode.js';
import { decodeJpegFile } from './jpeg.js';
import { createDecodePool, type DecodePoolOptions } from './pool/decodePool.js';
import { type SurveyedImage, surveyImage } from './surveyImage.js';

/** Decodes images to one size, many at once. */
export interface Decoder {
  decode(image: StoredImage): Promise<Uint8Array>;
  /** Writes the pixels into `out` at `offset`; rejects with the reason if the image cannot be decoded. */
  decodeInto(image: StoredImage, out: Uint8Array, offset: number): Promise<void>;
  /** The same for an image that is yet to be read. A JPEG file is read by the thread that decodes it. */
  readInto(image: UnreadImage, out: Uint8Array, offset: number): Promise<void>;
  /** Looks at the size, frames and levels of an image, outside of this process if that takes more than its header. */
  survey(image: StoredImage): Promise<SurveyedImage>;
  close(): Promise<void>;
}

/** An image that is yet to be read, from a file, a table cell, and so on. */
export interface UnreadImage {
  /** The path, if the image is a file. */
  readonly path?: string | undefined;
  /** Rejects with the reason if the image is missing or cannot be read. */
  read(): Promise<StoredImage>;
}

export interface DecoderOptions extends DecodePoolOptions {
  /**
   * Number of processes for everything but JPEG (see `createDecoder`); 0 for threads of this process.
   * Default: one per core. On fewer than four cores, these decode only DICOM, or everything if images come
   * from strangers.
   */
  readonly processes?: number;
}

/**
 * Creates a decoder. JPEG is decoded in threads of this process; sharp decodes everything else, in separate
 * processes or in this one. The pixels are the same either way. DICOM is decoded in JavaScript, which would
 * stop this process meanwhile. Nothing starts until the first image needs it.
 *
 * @example
 * const decoder = createDecoder({ width: 224, height: 224, channels: 3 }, {});
 * await decoder.decodeInto({ kind: 'encoded', bytes }, new Uint8Array(150528), 0);
 * await decoder.close();
 */
export function createDecoder(format: PixelFormat, options: DecoderOptions): Decoder {
  const cores = availableParallelism();
  const { processes = cores, ...poolOptions } = options;
  const isForAll = options.processes !== undefined || options.mostPixels !== undefined || cores >= 4;
  const pool = processes === 0 ? undefined : createDecodePool(format, processes, poolOptions);
  const decodeOther = async (image: StoredImage) =>
    pool && image.kind === 'encoded' && (isForAll || imageKind(image.bytes) === 'dicom')
      ? pool.decode(image.bytes)
      : decodeWithSharp(image, format);
  return {
    decode: (image) => decodeImage(image, format, decodeOther),
    decodeInto: (image, out, offset) => decodeInto(image, format, out, offset, decodeOther),
    async readInto({ path, read }, out, offset) {
      if (path !== undefined && (await decodeJpegFile(path, format, out, offset))) return wasRead(path);
      await decodeInto(await read(), format, out, offset, decodeOther);
    },
    survey: async (image) =>
      pool && image.kind === 'encoded' && imageKind(image.bytes) !== 'plain'
        ? pool.survey(image.bytes)
        : surveyImage(image, format),
    close: async () => pool?.close(),
  };
}
