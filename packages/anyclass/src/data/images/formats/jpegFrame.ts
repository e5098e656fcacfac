// The size that a JPEG claims to have, read without decoding it.

export interface JpegFrame {
  /** The coding: 0xc0 and 0xc1 sequential, 0xc2 progressive, 0xc9 and up arithmetic. */
  readonly marker: number;
  readonly width: number;
  readonly height: number;
}

/** Fill bytes and segments before the frame header: a camera writes a few dozen, an attacker millions. */
const mostSteps = 100_000;

/**
 * The first frame header of a JPEG; undefined if the bytes are not a JPEG, or if the header
 * is not where it should be.
 *
 * @example
 * jpegFrame(readFileSync('photo.jpg')) // { marker: 0xc0, width: 4032, height: 3024 }
 */
export function jpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  for (let steps = 0; at + 9 < bytes.length && steps < mostSteps; steps++) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1; // fill bytes
      continue;
    }
    if (isFrame(marker)) return { marker, height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += 2 + (hasNoLength ? 0 : view.getUint16(at + 2));
    if (marker === 0xda) return undefined;
  }
  return undefined;
}

/** SOF0 to SOF15, except for DHT, JPG, and DAC, which are in the same range. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/**
 * Whether a JPEG is certainly truncated, judging by its size: unless coded arithmetically, even a
 * single-color image takes one bit per 8 x 8 pixels of its largest component. Images beyond the pixel limit
 * are refused for that reason instead.
 *
 * @example
 * isTooShort(readFileSync('photo.jpg'), 1e9) // false
 */
export function isTooShort(bytes: Uint8Array, pixelLimit: number): boolean {
  const frame = jpegFrame(bytes);
  if (frame === undefined || frame.marker >= 0xc9) return false;
  const pixels = frame.width * frame.height;
  return pixels > 4096 * bytes.length && pixels <= pixelLimit;
}
