// Decoders of JPEG-LS and JPEG 2000, WebAssembly, loaded when the first such image comes.

import { createRequire } from 'node:module';
import { DataError } from '../../../errors/dataError.js';

/** Samples as a codec gives them: little endian, one or two bytes each. */
export interface DecodedFrame {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly bits: number;
  /** All of one color, then all of the next. */
  readonly isPlanar: boolean;
}

/** The classes of both packages, as far as we use them. */
interface FrameDecoder {
  getEncodedBuffer(size: number): Uint8Array;
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  getInterleaveMode?(): number;
  getDecodedBuffer(): Uint8Array;
  delete(): void;
}

interface CodecModule {
  readonly JpegLSDecoder?: new () => FrameDecoder;
  readonly J2KDecoder?: new () => FrameDecoder;
  getExceptionMessage?(error: unknown): unknown;
}

type CodecFactory = (options: { print(): void; printErr(): void }) => Promise<CodecModule>;

const packages = {
  'JPEG-LS': '@cornerstonejs/codec-charls/decodewasmjs',
  'JPEG 2000': '@cornerstonejs/codec-openjpeg/decodewasmjs',
} as const;

const loaded = new Map<string, Promise<CodecModule>>();

/**
 * @example
 * (await decodeFrame('JPEG-LS', fragment)).bits // 16
 */
export async function decodeFrame(codec: keyof typeof packages, encoded: Uint8Array): Promise<DecodedFrame> {
  const module = await load(packages[codec]);
  const Decoder = module.JpegLSDecoder ?? module.J2KDecoder;
  if (!Decoder) throw new Error(`${packages[codec]} has no decoder`);
  const decoder = new Decoder();
  try {
    decoder.getEncodedBuffer(encoded.length).set(encoded);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount } = decoder.getFrameInfo();
    // Where its memory ends is where it goes on: what it decoded is copied out.
    const bytes = decoder.getDecodedBuffer().slice();
    const samples = componentCount;
    if (bytes.length === 0 || bytes.length !== width * height * samples * (bitsPerSample > 8 ? 2 : 1)) {
      throw new DataError(`damaged ${codec}`);
    }
    const isPlanar = samples > 1 && decoder.getInterleaveMode?.() === 0;
    return { bytes, width, height, samples, bits: bitsPerSample, isPlanar };
  } catch (error) {
    if (error instanceof DataError) throw error;
    loaded.delete(packages[codec]); // its memory may be damaged too
    const reason = typeof error === 'number' ? module.getExceptionMessage?.(error) : error;
    throw new DataError(`damaged ${codec}: ${reason instanceof Error ? reason.message : String(reason)}`);
  } finally {
    decoder.delete();
  }
}

function load(name: string): Promise<CodecModule> {
  const known = loaded.get(name);
  if (known) return known;
  const factory: CodecFactory = createRequire(import.meta.url)(name);
  const silent = { print() {}, printErr() {} };
  const module = factory(silent);
  loaded.set(name, module);
  return module;
}
