import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { defaultPixelLimit, PixelLimitError } from '../../dataset/reading/pixelLimit.js';
import { MachineError } from '../storage/storage.js';
import { isTooShort } from './jpegFrame.js';

// Images are decoded in parallel, one thread each. libvips need not split an image among threads, and its
// cache of recent operations would only keep images that come back an epoch later.
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
      `claims more pixels than ${bytes.length} bytes of JPEG can encode: it is truncated or damaged`,
    );
  // 'error': truncated files are refused, but harmless oddities that decoders warn about are not.
  return sharp(bytes, { failOn: 'error', limitInputPixels: pixelLimit, ...options });
}

/**
 * Whether a file is SVG, whatever its name: drawing one may take any time and memory,
 * and may read other files.
 */
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

/**
 * Keeps the first warnings, which say what is wrong: a damaged file may get one for each of a thousand tags.
 */
function shortened(reason: string): string {
  const [first = '', ...others] = new Set(reason.split('; '));
  // The first has a prefix that repetitions of the same warning lack.
  const warnings = [first, ...others.filter((warning) => !first.endsWith(`: ${warning}`))];
  return warnings.length > 3
    ? `${warnings.slice(0, 2).join('; ')} and ${warnings.length - 2} more`
    : warnings.join('; ');
}

/** Names of libvips's own functions, which it puts before the reason. */
const ownParts = /\b(?:vips\w+|\w+2vips|\w+load_buffer|webp): /gi;

function inWords(reason: string): string {
  const isOfDecoder = reason.search(ownParts) === 0;
  const text = shortened(reason.replace(ownParts, ''));
  if (/^(unknown error)?$/i.test(text)) return 'the file is damaged: its pixels cannot be decoded';
  if (/unsupported image format/.test(text))
    return 'the file is not an image, or is in an unsupported format';
  const [isHeader, problem] = /^Input buffer has corrupt header:? *(.*)$/.exec(text) ?? [];
  if (isHeader !== undefined) return `the file is damaged: ${problem || 'its header cannot be read'}`;
  return isOfDecoder
    ? `the file is damaged or truncated: ${text}`
    : text.replace(/^Input buffer/, 'the file');
}

/** Turns sharp's error into our own. */
export function decodeError(error: unknown): DataError {
  if (error instanceof DataError) return error;
  const reason = inWords(reasonOf(error));
  if (/error creating thread/i.test(reason))
    return new MachineError(
      `the system has no more threads for decoding images (${reason}); raise the limits on memory and processes (ulimit -v, ulimit -u)`,
    );
  return reason.includes('pixel limit')
    ? new PixelLimitError(`${reason}; raise data.pixelLimit if the image is genuine`)
    : new DataError(reason);
}
