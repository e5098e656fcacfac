import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkUpload, jpegSize } from './uploadedImage.js';

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures/data');
const jpegs = readdirSync(fixtures)
  .filter((name) => /\.jpe?g$/.test(name) && name !== 'misnamed.jpg')
  .map((name) => readFileSync(join(fixtures, name)));

test("a JPEG's size is the decoder's", async () => {
  for (const bytes of jpegs) {
    const { width, height } = await sharp(bytes).metadata();
    expect(jpegSize(bytes)).toEqual({ width, height });
  }
});

test('whatever follows the mark of a JPEG, looking for its size ends, and finds numbers or nothing', () => {
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
          const size = jpegSize(bytes);
          if (size) expect(size.width * size.height).toBeGreaterThanOrEqual(0);
        }
      },
    ),
  );
});

test('a size over the limit, a drawing and an empty file are refused, each as what it is', async () => {
  const [jpeg] = jpegs;
  const { width, height } = jpegSize(jpeg!)!;
  await checkUpload(jpeg!, width * height);
  await expect(checkUpload(jpeg!, width * height - 1)).rejects.toMatchObject({ kind: 'too-large' });
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  await expect(checkUpload(drawing, 1e6)).rejects.toMatchObject({ kind: 'wrong-type' });
  await expect(checkUpload(new Uint8Array(0), 1e6)).rejects.toMatchObject({ kind: 'unreadable' });
  await expect(checkUpload(Buffer.from('text'), 1e6)).rejects.toMatchObject({ kind: 'unreadable' });
});
