import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { DataError } from '../../../errors/dataError.js';
import { randomStream } from '../../random/philox.js';
import { decodeImage } from './decode.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
// Without the GIF: truncated after its first frame, it is still readable.
const pictures = readdirSync(fixtures)
  .filter((name) => /\.(png|jpg|webp|tif)$/.test(name))
  .map((name) => readFileSync(join(fixtures, name)));
const format = { width: 16, height: 16, channels: 3 } as const;

/** The reason why an image cannot be decoded, or undefined if it can. */
async function complaint(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const pixels = await decodeImage({ kind: 'encoded', bytes }, format);
    expect(pixels.length).toBe(768);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return error instanceof Error ? error.message : '';
  }
}

const kinds: Record<string, (bytes: Buffer, draw: ReturnType<typeof randomStream>) => Uint8Array> = {
  truncated: (bytes, draw) => bytes.subarray(0, draw.below(Math.floor(bytes.length * 0.7))),
  flipped(bytes, draw) {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < 8; i++) {
      const at = draw.below(copy.length);
      copy[at] = copy[at]! ^ (1 << draw.below(8));
    }
    return copy;
  },
  text: (_bytes, draw) => Buffer.from(`<html>${draw.uint32()}</html>`),
  noise: (bytes, draw) => Uint8Array.from(bytes, () => draw.below(256)),
  huge: (_bytes, draw) => declaredSize(60_000 + draw.below(5000), 60_000),
};

test('1,000 damaged images are decoded to the requested size or refused with a reason; none crashes or hangs the process', async () => {
  const complaints: Record<string, number> = {};
  for (let i = 0; i < 1000; i++) {
    const kind = Object.keys(kinds)[i % 5]!;
    const draw = randomStream('sample', 1, 0, i);
    const reason = await complaint(kinds[kind]!(pictures[draw.below(pictures.length)]!, draw));
    if (reason === undefined) continue;
    expect(reason.length).toBeGreaterThan(5);
    expect(reason).not.toMatch(/unknown error|vips|corrupt header|load_buffer/i);
    complaints[kind] = (complaints[kind] ?? 0) + 1;
  }
  // No decoder can notice every flipped bit in a JPEG or an uncompressed TIFF; the other
  // kinds are always noticed.
  expect(complaints).toMatchObject({ truncated: 200, text: 200, noise: 200, huge: 200 });
});

test("a decoder's repeated warning is reported once", async () => {
  const reason = (await complaint(Buffer.from('\xff\xd8\xff\xe0 damaged', 'latin1'))) ?? '';
  expect(reason.match(/premature end of JPEG image/g)).toHaveLength(1);
});

test('a truncated file and a file that is not an image get readable messages', async () => {
  const png = readFileSync(join(fixtures, 'rgb.png'));
  expect(await complaint(png.subarray(0, 60))).toMatch(/^the file is damaged or truncated: libpng/);
  expect(await complaint(png.subarray(0, 20))).toBe('the file is damaged: its header cannot be read');
  expect(await complaint(Buffer.from('hello'))).toMatch('not an image');
});

test('an empty file and a huge declared size are named as such', async () => {
  expect(await complaint(new Uint8Array(0))).toBe('the image file is empty');
  expect(await complaint(declaredSize(65_000, 65_000))).toMatch(/pixel limit/);
});

test('a drawing is refused by its kind, whatever it is called', async () => {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  expect(await complaint(Buffer.from(drawing))).toMatch('is an SVG drawing');
  expect(await complaint(Buffer.from(`\ufeff<?xml version="1.0"?>\n<!-- a -->\n${drawing}`))).toMatch(
    'is an SVG drawing',
  );
});

/** A PNG whose header declares another size. */
function declaredSize(width: number, height: number): Buffer {
  const png = Buffer.from(readFileSync(join(fixtures, 'rgb.png')));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}
