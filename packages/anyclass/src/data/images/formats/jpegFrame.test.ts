import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { decodeImage } from '../decoding/decode.js';
import { isTooShort, jpegFrame } from './jpegFrame.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const jpegs = readdirSync(fixtures)
  .filter((name) => /\.jpe?g$/.test(name) && name !== 'misnamed.jpg')
  .map((name) => readFileSync(join(fixtures, name)));

test('the size in the header equals the size that the decoder finds', async () => {
  for (const bytes of jpegs) {
    const { width, height } = await sharp(bytes).metadata();
    expect(jpegFrame(bytes)).toMatchObject({ width, height });
  }
});

test('whatever follows the signature of a JPEG, the search for its size ends, with numbers or nothing', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(jpegs.length - 1),
      fc.nat(),
      (noise, which, cut) => {
        const whole = jpegs[which]!;
        for (const bytes of [
          Buffer.concat([Buffer.of(0xff, 0xd8), noise]),
          whole.subarray(0, cut % whole.length),
        ]) {
          const frame = jpegFrame(bytes);
          if (frame) expect(frame.width * frame.height).toBeGreaterThanOrEqual(0);
        }
      },
    ),
  );
});

test('a JPEG of a few kilobytes that claims 16,000 x 16,000 pixels is refused; a real single-color one is not', async () => {
  const format = { width: 8, height: 8, channels: 3 } as const;
  const bytes = Buffer.from(jpegs[0]!);
  const frame = bytes.indexOf(Buffer.from('ffc0', 'hex'));
  bytes.writeUInt16BE(16_000, frame + 5);
  bytes.writeUInt16BE(16_000, frame + 7);
  await expect(decodeImage({ kind: 'encoded', bytes }, format)).rejects.toThrow('claims more pixels');
  for (const progressive of [false, true]) {
    const drawn = sharp({ create: { width: 4000, height: 4000, channels: 3, background: '#335577' } });
    const real = await drawn.jpeg({ progressive, optimizeCoding: true, quality: 1 }).toBuffer();
    expect(isTooShort(real, 2 ** 40)).toBe(false);
  }
});
