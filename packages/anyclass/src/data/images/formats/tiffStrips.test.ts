import * as fc from 'fast-check';
import sharp, { type TiffOptions } from 'sharp';
import { expect, test } from 'vitest';
import { damaged } from '../../../../test/damage.js';
import { tiff } from '../../../../test/deepImages.js';
import { sharpLevels } from '../levels/sharpLevels.js';
import { tiffLevels } from './tiffStrips.js';

/** A TIFF as libtiff writes it. */
function written(values: Uint16Array, width: number, height: number, options: TiffOptions): Promise<Buffer> {
  return sharp(values, { raw: { width, height, channels: 1 } })
    .pipelineColourspace('grey16')
    .toColourspace('grey16')
    .tiff(options)
    .toBuffer();
}

async function bySharp(bytes: Buffer): Promise<number[]> {
  const image = sharp(bytes, { ignoreIcc: true, failOn: 'error' });
  return [...(await sharpLevels(image, await image.metadata())).values];
}

const noise = (width: number, height: number) =>
  Uint16Array.from({ length: width * height }, (_, i) => (i * 40_503 + (i >> 3) * 7919) & 0xffff);

test.each<[string, TiffOptions]>([
  ['stored uncompressed', { compression: 'none' }],
  ['stored with deflate', { compression: 'deflate', predictor: 'none' }],
  ['stored with deflate of differences', { compression: 'deflate', predictor: 'horizontal' }],
])('an image %s, in one strip or many, has the levels that libvips finds', async (_, options) => {
  for (const [width, height] of [
    [1, 1],
    [7, 3],
    [130, 517],
  ] as const) {
    const values = noise(width, height);
    const bytes = await written(values, width, height, options);
    const levels = await tiffLevels(bytes, {});
    expect([...levels!.values]).toEqual([...values]);
    expect([...levels!.values]).toEqual(await bySharp(bytes));
  }
});

test('any numbers in a plain TIFF are read exactly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint16Array({ minLength: 12, maxLength: 12 }), async (values) => {
      expect((await tiffLevels(tiff([[...values]], 4, 3), {}))?.values).toEqual(values);
    }),
  );
});

test('other kinds of TIFF are left to libvips', async () => {
  const values = noise(64, 48);
  const others = [
    await written(values, 64, 48, { compression: 'lzw' }),
    await written(values, 64, 48, { compression: 'none', tile: true }),
    await sharp(await written(values, 64, 48, {}))
      .withMetadata({ orientation: 6 })
      .tiff()
      .toBuffer(),
    tiff(
      [
        [1, 2],
        [3, 4],
      ],
      2,
      1,
    ),
    tiff([[1, 2]], 2, 1, { bits: 8 }),
    tiff([[1, -2]], 2, 1, { format: 2 }),
    tiff([[1, 2]], 2, 1, { bits: 32, format: 3 }),
  ];
  for (const bytes of others) expect(await tiffLevels(bytes, {})).toBeUndefined();
});

test('400 damaged images are read as libvips reads them, or left to it', async () => {
  const whole = await written(noise(40, 30), 40, 30, { compression: 'deflate', predictor: 'horizontal' });
  let read = 0;
  for (let i = 0; i < 400; i++) {
    const bytes = damaged(whole, i);
    const levels = await tiffLevels(bytes, {}).catch(() => undefined);
    if (!levels) continue;
    read += 1;
    expect([...levels.values]).toEqual(await bySharp(bytes));
  }
  expect(read).toBeGreaterThan(10);
});

test('an image above the pixel limit is refused before memory is allocated', async () => {
  await expect(tiffLevels(tiff([[1, 2, 3, 4]], 2, 2), { pixelLimit: 3 })).rejects.toThrow(
    '2 x 2 pixels exceed the pixel limit of 3; raise data.pixelLimit',
  );
});
