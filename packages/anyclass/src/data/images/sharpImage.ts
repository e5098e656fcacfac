import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { DataError } from '../../errors/dataError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { isTooShort } from './jpegFrame.js';
import { defaultPixelLimit } from './pixelLimit.js';
import { MachineError } from './storage.js';

// Images are decoded side by side, one thread each; libvips need not divide one image among threads, and its cache of
// recent operations would only hold images that come back an epoch later.
sharp.concurrency(1);
sharp.cache(false);

/** Opens an encoded image; nothing is decoded yet. */
export function openEncoded(
  bytes: Uint8Array,
  {
    pixelLimit = defaultPixelLimit,
    ...options
  }: Pick<SharpOptions, 'page' | 'ignoreIcc'> & { readonly pixelLimit?: number | undefined },
): Sharp {
  if (bytes.length === 0) throw new DataError('the image file is empty');
  if (isDrawing(bytes)) throw new DataError('is an SVG drawing, which has no pixels; convert it to PNG');
  if (isTooShort(bytes, pixelLimit))
    throw new DataError(
      `claims more pixels than ${bytes.length} bytes of JPEG can hold: it is cut off or damaged`,
    );
  // 'error': harmless oddities that decoders warn of do not cost an image; cut-off files do.
  return sharp(bytes, { failOn: 'error', limitInputPixels: pixelLimit, ...options });
}

/** Whether it is SVG, whatever it is called: to draw one may take any time and memory, and it may ask for other files. */
function isDrawing(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?\s*</.test(start) && /<svg[\s>]/i.test(start);
}

/** Opens pixels that need no decoding. */
export function openPixelsOf(
  pixels: Uint8Array,
  raw: { readonly width: number; readonly height: number; readonly channels: 1 | 3 },
): Sharp {
  return sharp(pixels, { raw, limitInputPixels: false });
}

/** A damaged file may get a warning for each of its thousand tags; the first say what is wrong. */
function shortened(reason: string): string {
  const [first = '', ...others] = new Set(reason.split('; '));
  // The first has words in front that the same warning lacks when it comes again.
  const warnings = [first, ...others.filter((warning) => !first.endsWith(`: ${warning}`))];
  return warnings.length > 3
    ? `${warnings.slice(0, 2).join('; ')} and ${warnings.length - 2} more`
    : warnings.join('; ');
}

/** libvips puts the name of its own function before the reason, or only says that the header is bad. */
const ownParts = /\b(?:vips\w+|\w+2vips|\w+load_buffer|webp): /gi;

function inWords(reason: string): string {
  const isOfDecoder = reason.search(ownParts) === 0;
  const text = shortened(reason.replace(ownParts, ''));
  if (/^(unknown error)?$/i.test(text)) return 'the file is damaged: its pixels cannot be decoded';
  if (/unsupported image format/.test(text)) return 'the file is in an unsupported image format, or no image';
  const [isHeader, problem] = /^Input buffer has corrupt header:? *(.*)$/.exec(text) ?? [];
  if (isHeader !== undefined) return `the file is damaged: ${problem || 'its header cannot be read'}`;
  return isOfDecoder ? `the file is damaged or cut off: ${text}` : text.replace(/^Input buffer/, 'the file');
}

/** What sharp complained about, as our own error. */
export function decodeError(error: unknown): DataError {
  if (error instanceof DataError) return error;
  const reason = inWords(reasonOf(error));
  if (/error creating thread/i.test(reason))
    return new MachineError(
      `the system has no more threads to decode images with (${reason}); raise the limits of memory and processes (ulimit -v, ulimit -u)`,
    );
  const isTooLarge = reason.includes('pixel limit');
  return new DataError(isTooLarge ? `${reason}; raise data.pixelLimit if the image is genuine` : reason);
}
