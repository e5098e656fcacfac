// A few bytes that claim an enormous image: refused because of the header, before memory is allocated.

import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { dicomFile } from '../../../../test/dicomFile.js';
import { DataError } from '../../../errors/dataError.js';
import { decodeImage } from './decode.js';

const format = { width: 8, height: 8, channels: 3 } as const;
const small = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#335577' } });

/** A copy with some bytes replaced, given in hexadecimal. */
function patched(bytes: Buffer, patches: readonly (readonly [at: number, hex: string])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, hex] of patches) copy.write(hex, at, 'hex');
  return copy;
}

const claims: Readonly<Record<string, () => Promise<Buffer>>> = {
  async JPEG() {
    const bytes = await small().jpeg().toBuffer();
    const frame = bytes.indexOf(Buffer.from('ffc0', 'hex'));
    return patched(bytes, [[frame + 5, 'ff00ff00']]);
  },
  async PNG() {
    const bytes = patched(await small().png().toBuffer(), [[16, '0000fff00000fff0']]);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    return bytes;
  },
  async GIF() {
    const bytes = await small().gif().toBuffer();
    const picture = bytes.indexOf(Buffer.from('2c00000000', 'hex'));
    return patched(bytes, [
      [6, 'f0fff0ff'],
      [picture + 5, 'f0fff0ff'],
    ]);
  },
  async TIFF() {
    const bytes = await small().tiff().toBuffer();
    const directory = bytes.readUInt32LE(4);
    const entries = Array.from({ length: bytes.readUInt16LE(directory) }, (_, i) => directory + 2 + 12 * i);
    const sides = entries.filter((at) => [256, 257].includes(bytes.readUInt16LE(at)));
    // As 32-bit numbers.
    return patched(
      bytes,
      sides.flatMap((at) => [
        [at + 2, '0400'],
        [at + 8, 'f0ff0000'],
      ]),
    );
  },
  async BMP() {
    const bytes = Buffer.alloc(54 + 8 * 8 * 3);
    bytes.write('BM');
    bytes.writeUInt32LE(bytes.length, 2);
    bytes.writeUInt32LE(54, 10);
    bytes.writeUInt32LE(40, 14);
    bytes.writeUInt16LE(1, 26);
    bytes.writeUInt16LE(24, 28);
    return patched(bytes, [[18, 'f0ff0000f0ff0000']]);
  },
  async AVIF() {
    const bytes = await small().avif().toBuffer();
    const size = bytes.indexOf('ispe');
    return patched(bytes, [[size + 8, '0000fff00000fff0']]);
  },
  DICOM: async () => dicomFile({ width: 65_520, height: 65_520, pixels: Buffer.alloc(128) }),
};

test.each(Object.keys(claims))(
  'a small %s file that claims 65,280 x 65,280 pixels or more is refused by its header',
  async (name) => {
    const bytes = await claims[name]!();
    const before = process.memoryUsage.rss();
    const error = await decodeImage({ kind: 'encoded', bytes }, format).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DataError);
    expect(String(error)).toMatch(/pixel limit|data\.pixelLimit/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 29);
  },
);

// WebP has 14 bits per side, so its largest image is just within the limit.
test('a WebP file that claims 16,383 x 16,383 pixels within a few bytes is refused as damaged', async () => {
  const bytes = await small().webp().toBuffer();
  const frame = bytes.indexOf(Buffer.from('9d012a', 'hex'));
  const before = process.memoryUsage.rss();
  const claimed = patched(bytes, [[frame + 3, 'ff3fff3f']]);
  await expect(decodeImage({ kind: 'encoded', bytes: claimed }, format)).rejects.toThrow(DataError);
  expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 29);
  const limited = { ...format, pixelLimit: 1_000_000 };
  await expect(decodeImage({ kind: 'encoded', bytes: claimed }, limited)).rejects.toThrow('data.pixelLimit');
});
