// A thread that decodes JPEG-LS and JPEG 2000 with WebAssembly, one frame after another. Started by codecs.ts.

import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../../../errors/reasonOf.js';
import type { CodecAnswer, CodecName, CodecTask, DecodedFrame } from './codecs.js';

/** The part of both packages' classes that we use. */
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

const packages: Readonly<Record<CodecName, string>> = {
  'JPEG-LS': '@cornerstonejs/codec-charls/decodewasmjs',
  'JPEG 2000': '@cornerstonejs/codec-openjpeg/decodewasmjs',
};
const loaded = new Map<CodecName, Promise<CodecModule>>();

parentPort?.on('message', async ({ codec, encoded }: CodecTask) => {
  let answer: CodecAnswer;
  try {
    answer = { frame: await decode(codec, encoded) };
  } catch (error) {
    loaded.delete(codec); // its memory may be corrupted too
    answer = { failure: reasonOf(error) };
  }
  parentPort?.postMessage(answer);
});

async function decode(codec: CodecName, encoded: Uint8Array): Promise<DecodedFrame> {
  const module = await load(codec);
  const Decoder = module.JpegLSDecoder ?? module.J2KDecoder;
  if (!Decoder) throw new Error(`${packages[codec]} has no decoder`);
  const decoder = new Decoder();
  try {
    decoder.getEncodedBuffer(encoded.length).set(encoded);
    decoder.decode();
    const { width, height, bitsPerSample: bits, componentCount: samples } = decoder.getFrameInfo();
    // Copied, because the decoder's memory is freed with it.
    const bytes = Uint8Array.from(decoder.getDecodedBuffer());
    if (bytes.length === 0 || bytes.length !== width * height * samples * (bits > 8 ? 2 : 1)) {
      throw new Error('it ends early');
    }
    const isPlanar = samples > 1 && decoder.getInterleaveMode?.() === 0;
    return { bytes, width, height, samples, bits, isPlanar };
  } catch (error) {
    // A number stands for a C++ exception.
    throw typeof error === 'number'
      ? new Error(String(module.getExceptionMessage?.(error) ?? 'unreadable'))
      : error;
  } finally {
    decoder.delete();
  }
}

function load(codec: CodecName): Promise<CodecModule> {
  const known = loaded.get(codec);
  if (known) return known;
  const factory: CodecFactory = createRequire(import.meta.url)(packages[codec]);
  const module = factory({ print() {}, printErr() {} });
  loaded.set(codec, module);
  return module;
}
