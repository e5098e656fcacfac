// Test images with more than 8 bits, bitmaps, and files with several frames.

import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A 16-bit PNG, gray (one value per pixel) or color (three). */
export function png16(values: readonly number[], width: number, height: number): Buffer {
  const channels = values.length / (width * height);
  const rows = Buffer.alloc(height * (1 + 2 * width * channels));
  for (let i = 0; i < values.length; i++) {
    const row = Math.floor(i / (width * channels));
    rows.writeUInt16BE(values[i]!, 2 * i + row + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, channels === 3 ? 2 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/**
 * An uncompressed gray TIFF with pages of the same size.
 *
 * @param format 1 unsigned, 2 signed, 3 floating point
 */
export function tiff(
  pages: readonly (readonly number[])[],
  width: number,
  height: number,
  { bits = 16, format = 1 }: { readonly bits?: 8 | 16 | 32; readonly format?: 1 | 2 | 3 } = {},
): Buffer {
  const tags = 10;
  const directory = 2 + tags * 12 + 4;
  const data = (width * height * bits) / 8;
  const out = Buffer.alloc(8 + pages.length * (directory + data));
  out.write('II*\0', 'latin1');
  out.writeUInt32LE(8, 4);
  pages.forEach((values, page) => {
    const at = 8 + page * (directory + data);
    const pixels = at + directory;
    const entries = [
      [256, width],
      [257, height],
      [258, bits],
      [259, 1],
      [262, 1],
      [273, pixels],
      [277, 1],
      [278, height],
      [279, data],
      [339, format],
    ] as const;
    out.writeUInt16LE(tags, at);
    entries.forEach(([tag, value], i) => {
      const entry = at + 2 + 12 * i;
      out.writeUInt16LE(tag, entry);
      out.writeUInt16LE(4, entry + 2);
      out.writeUInt32LE(1, entry + 4);
      out.writeUInt32LE(value, entry + 8);
    });
    out.writeUInt32LE(page + 1 < pages.length ? at + directory + data : 0, at + directory - 4);
    values.forEach((value, i) => {
      const place = pixels + (i * bits) / 8;
      if (format === 3) out.writeFloatLE(value, place);
      else if (bits === 8) out.writeUInt8(value, place);
      else if (format === 2) out.writeInt16LE(value, place);
      else out.writeUInt16LE(value, place);
    });
  });
  return out;
}

/** An animation whose frames each have a single gray level. */
export async function animation(grays: readonly number[], kind: 'gif' | 'webp'): Promise<Buffer> {
  const side = 8;
  const pixels = Buffer.concat(grays.map((gray) => Buffer.alloc(side * side * 3, gray)));
  const raw = { width: side, height: side * grays.length, channels: 3, pageHeight: side } as const;
  const image = sharp(pixels, { raw });
  return kind === 'gif' ? image.gif().toBuffer() : image.webp({ lossless: true }).toBuffer();
}

export interface BitmapContent {
  readonly width: number;
  /** Negative: rows from the top. */
  readonly height: number;
  readonly bits: number;
  readonly compression?: number;
  /** Blue, green, red, and a zero for each color; or the bit masks. */
  readonly palette?: readonly number[];
  readonly pixels: readonly number[];
}

/** A Windows bitmap. */
export function bitmap({
  width,
  height,
  bits,
  compression = 0,
  palette = [],
  pixels,
}: BitmapContent): Buffer {
  const start = 54 + palette.length;
  const out = Buffer.alloc(start + pixels.length);
  out.write('BM');
  out.writeUInt32LE(out.length, 2);
  out.writeUInt32LE(start, 10);
  out.writeUInt32LE(40, 14);
  out.writeInt32LE(width, 18);
  out.writeInt32LE(height, 22);
  out.writeUInt16LE(1, 26);
  out.writeUInt16LE(bits, 28);
  out.writeUInt32LE(compression, 30);
  out.set(palette, 54);
  out.set(pixels, start);
  return out;
}
