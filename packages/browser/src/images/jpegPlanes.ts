// The planes of a JPEG as stored, if the browser has an ImageDecoder that provides them: the same numbers as in Node,
// before colors are clipped to 0 and 255.

import type { JpegPicture, Plane } from './libjpeg.js';
import type { Turn } from './turn.js';

/** Pixels per color sample, by VideoFrame's format names. */
const layouts = {
  I420: { across: 2, down: 2 },
  I422: { across: 2, down: 1 },
  I444: { across: 1, down: 1 },
} as const;

/**
 * Returns the planes of a color JPEG and how to turn them; undefined if the browser does not provide them.
 *
 * @example
 * const planes = await jpegPlanes(bytes);
 */
export async function jpegPlanes(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<(JpegPicture & { readonly turn: Turn }) | undefined> {
  if (typeof ImageDecoder === 'undefined') return undefined;
  const decoder = new ImageDecoder({ data: bytes, type: 'image/jpeg' });
  try {
    const { image } = await decoder.decode();
    try {
      return await planesOf(image);
    } finally {
      image.close();
    }
  } catch {
    return undefined; // the bitmap path then reports what is wrong with the file
  } finally {
    decoder.close();
  }
}

async function planesOf(frame: VideoFrame): Promise<(JpegPicture & { readonly turn: Turn }) | undefined> {
  const { format, colorSpace } = frame;
  if (format !== 'I420' && format !== 'I422' && format !== 'I444') return undefined;
  // The browser converts matrices and primaries other than those of JFIF and sRGB.
  const { matrix, fullRange, primaries, transfer } = colorSpace;
  if (matrix !== 'smpte170m' || !fullRange || primaries !== 'bt709' || transfer !== 'iec61966-2-1')
    return undefined;
  const [width, height] = [frame.codedWidth, frame.codedHeight];
  const memory = new Uint8Array(frame.allocationSize());
  const places = await frame.copyTo(memory);
  const planes = places.map(({ offset, stride }, i): Plane => {
    const { across, down } = i === 0 ? layouts.I444 : layouts[format];
    const [columns, rows] = [Math.ceil(width / across), Math.ceil(height / down)];
    return {
      width: columns,
      height: rows,
      channels: 1,
      pixelsPerSample: { across, down },
      strips: Array.from({ length: rows }, (_, y) =>
        memory.subarray(offset + y * stride, offset + y * stride + columns),
      ),
    };
  });
  return { width, height, planes, turn: turnOf(frame) };
}

/** These fields are newer than TypeScript's type for a frame. */
function turnOf(frame: VideoFrame & { readonly rotation?: number; readonly flip?: boolean }): Turn {
  return { quarters: (frame.rotation ?? 0) / 90, isMirrored: frame.flip ?? false };
}
