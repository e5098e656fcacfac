import { availableParallelism } from 'node:os';
import { decodeImage, type PixelFormat } from './decode.js';
import type { StoredImage } from './imageSource.js';
import { createDecodePool } from './pool/decodePool.js';

/** Decodes images to one size, many at once. */
export interface Decoder {
  decode(image: StoredImage): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** Processes that decode; 0 for threads of this one. Default: one a core, but 0 on two or three cores. */
  readonly processes?: number;
}

/**
 * Decode in processes of their own, or in threads of this one. The pixels are the same either way; nothing is started
 * before the first image needs it.
 *
 * @example
 * const decoder = createDecoder({ width: 224, height: 224, channels: 3 }, {});
 * (await decoder.decode({ kind: 'encoded', bytes })).length // 150528
 * await decoder.close();
 */
export function createDecoder(format: PixelFormat, options: DecoderOptions): Decoder {
  const cores = availableParallelism();
  const { processes = cores >= 4 ? cores : 0 } = options;
  if (processes === 0) return { decode: (image) => decodeImage(image, format), close: async () => {} };
  const pool = createDecodePool(format, processes);
  return {
    decode: (image) => (image.kind === 'encoded' ? pool.decode(image.bytes) : decodeImage(image, format)),
    close: () => pool.close(),
  };
}
