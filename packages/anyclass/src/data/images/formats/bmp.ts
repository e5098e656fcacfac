// Windows bitmaps, which sharp does not read: all depths, with a palette, bit masks, or run lengths. As in
// most programs, alpha is ignored, because many files leave the fourth byte unused.

import { DataError } from '../../../errors/dataError.js';
import type { StoredImage } from '../../dataset/imageSource.js';
import { checkPixels } from '../../dataset/reading/pixelLimit.js';

interface BitmapHeader {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly pixelsAt: number;
}

const compressions = { none: 0, runs8: 1, runs4: 2, masks: 3, alphaMasks: 6 } as const;

/** Width and height of a bitmap. */
export function bitmapSize(bytes: Uint8Array): { width: number; height: number; channels: 3 } {
  const { width, height } = readHeader(viewOf(bytes));
  return { width, height, channels: 3 };
}

/**
 * The pixels of a bitmap, in color.
 *
 * @example
 * decodeBitmap(await readFile('scan.bmp'), undefined).kind // 'pixels'
 */
export function decodeBitmap(bytes: Uint8Array, pixelLimit: number | undefined): StoredImage {
  const file = viewOf(bytes);
  const header = readHeader(file);
  const { width, height, bits, compression, pixelsAt, isTopDown } = header;
  checkPixels(width, height, pixelLimit);
  const isRuns = compression === compressions.runs8 || compression === compressions.runs4;
  const stride = 4 * Math.ceil((width * bits) / 32);
  if (!isRuns && bytes.length < pixelsAt + stride * height) throw new DataError('the bitmap is truncated');
  const indices = isRuns ? unrolled(bytes, header) : undefined;
  const colorOf = bits <= 8 ? paletteColors(file, header) : maskedColors(file, header);
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const row = pixelsAt + (isTopDown ? y : height - 1 - y) * stride;
    for (let x = 0; x < width; x++) {
      const stored = indices ? indices[y * width + x]! : sample(file, row, x, bits);
      const color = colorOf(stored);
      const at = (y * width + x) * 3;
      pixels[at] = color >> 16;
      pixels[at + 1] = color >> 8;
      pixels[at + 2] = color;
    }
  }
  return { kind: 'pixels', pixels, width, height, channels: 3 };
}

function viewOf(bytes: Uint8Array): DataView {
  if (bytes.length < 26) throw new DataError('the bitmap is truncated');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function readHeader(file: DataView): BitmapHeader {
  const size = file.getUint32(14, true);
  if (size === 12) {
    const [width, height, bits] = [18, 20, 24].map((at) => file.getUint16(at, true));
    return checkedHeader(file, width!, height!, bits!, compressions.none);
  }
  if (size < 40 || file.byteLength < 54) throw new DataError(`a bitmap header of ${size} bytes is not known`);
  const [width, height] = [file.getInt32(18, true), file.getInt32(22, true)];
  return checkedHeader(file, width, height, file.getUint16(28, true), file.getUint32(30, true));
}

function checkedHeader(
  file: DataView,
  width: number,
  height: number,
  bits: number,
  compression: number,
): BitmapHeader {
  const depths: Readonly<Record<number, readonly number[]>> = {
    [compressions.none]: [1, 2, 4, 8, 16, 24, 32],
    [compressions.runs8]: [8],
    [compressions.runs4]: [4],
    [compressions.masks]: [16, 32],
    [compressions.alphaMasks]: [16, 32],
  };
  const pixelsAt = file.getUint32(10, true);
  if (width <= 0 || height === 0) throw new DataError(`a bitmap of ${width} x ${height} pixels`);
  if (!depths[compression]?.includes(bits)) {
    throw new DataError(`a bitmap of ${bits} bits with compression ${compression} is not supported`);
  }
  if (pixelsAt < 14 + file.getUint32(14, true) || pixelsAt >= file.byteLength) {
    throw new DataError('the bitmap is damaged: its pixels would start outside the file');
  }
  return { width, height: Math.abs(height), isTopDown: height < 0, bits, compression, pixelsAt };
}

function sample(file: DataView, row: number, x: number, bits: number): number {
  if (bits === 24) return file.getUint16(row + 3 * x, true) | (file.getUint8(row + 3 * x + 2) << 16);
  if (bits === 32) return file.getUint32(row + 4 * x, true);
  if (bits === 16) return file.getUint16(row + 2 * x, true);
  const bit = x * bits;
  return (file.getUint8(row + (bit >> 3)) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}

function paletteColors(file: DataView, { bits, pixelsAt }: BitmapHeader): (index: number) => number {
  const headerSize = file.getUint32(14, true);
  const entryBytes = headerSize === 12 ? 3 : 4;
  const start = 14 + headerSize;
  const declared = headerSize === 12 ? 0 : file.getUint32(46, true);
  const room = Math.floor((pixelsAt - start) / entryBytes);
  const colors = Array.from({ length: Math.min(declared || 1 << bits, room, 1 << bits) }, (_, i) => {
    const at = start + entryBytes * i;
    return file.getUint16(at, true) | (file.getUint8(at + 2) << 16);
  });
  return (index) => {
    const color = colors[index];
    if (color === undefined) throw new DataError(`the bitmap is damaged: color ${index} of ${colors.length}`);
    return color;
  };
}

/** Colors whose channels are masked bits of a sample. */
function maskedColors(file: DataView, { bits, compression }: BitmapHeader): (stored: number) => number {
  if (compression === compressions.none && bits !== 16) return (stored) => stored & 0xffffff;
  const masks =
    compression === compressions.none
      ? [0x7c00, 0x03e0, 0x001f]
      : [54, 58, 62].map((at) => (at + 4 <= file.byteLength ? file.getUint32(at, true) : 0));
  const channels = masks.map((mask) => {
    const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    const largest = mask >>> shift;
    if (largest === 0 || (largest & (largest + 1)) !== 0)
      throw new DataError('the bitmap has unsupported bit masks');
    return (stored: number) => Math.round((((stored & mask) >>> shift) * 255) / largest);
  });
  return (stored) => (channels[0]!(stored) << 16) | (channels[1]!(stored) << 8) | channels[2]!(stored);
}

/** The color indices of run-length encoded rows, from the top; pixels that the runs skip are color 0. */
function unrolled(bytes: Uint8Array, { width, height, bits, pixelsAt, isTopDown }: BitmapHeader): Uint8Array {
  const indices = new Uint8Array(width * height);
  let [x, y, at] = [0, 0, pixelsAt];
  const next = () => {
    if (at >= bytes.length) throw new DataError('the bitmap is truncated');
    return bytes[at++]!;
  };
  const put = (index: number) => {
    if (x >= width || y >= height) throw new DataError('the bitmap is damaged: a run extends beyond it');
    indices[(isTopDown ? y : height - 1 - y) * width + x++] = index;
  };
  const half = (byte: number, i: number) => (bits === 8 ? byte : i % 2 === 0 ? byte >> 4 : byte & 15);
  for (;;) {
    const count = next();
    const value = next();
    if (count > 0) {
      for (let i = 0; i < count; i++) put(half(value, i));
    } else if (value === 0) {
      [x, y] = [0, y + 1];
    } else if (value === 1) {
      return indices;
    } else if (value === 2) {
      x += next();
      y += next();
    } else {
      const start = at;
      for (let i = 0, byte = 0; i < value; i++) {
        if (bits === 8 || i % 2 === 0) byte = next();
        put(half(byte, i));
      }
      at += (at - start) % 2; // literal runs are padded to an even length
    }
  }
}
