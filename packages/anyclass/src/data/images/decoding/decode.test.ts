import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeImage, imageSize } from './decode.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const encoded = (name: string) => ({ kind: 'encoded', bytes: readFileSync(join(fixtures, name)) }) as const;

/** The center pixels of the four quarters of an image decoded at 20x12. */
async function quarters(name: string, channels: 1 | 3): Promise<number[][]> {
  const window = name.includes('16') ? ([0, 65535] as const) : undefined;
  const pixels = await decodeImage(encoded(name), { width: 20, height: 12, channels, window });
  const at = (x: number, y: number) => [
    ...pixels.subarray((y * 20 + x) * channels, (y * 20 + x + 1) * channels),
  ];
  return [at(4, 3), at(15, 3), at(4, 9), at(15, 9)];
}

const colors = [
  [200, 40, 40],
  [40, 200, 40],
  [40, 40, 200],
  [240, 240, 240],
];
const grays = [88, 134, 58, 240];

describe('color images keep their colors', () => {
  const names = ['rgb.png', 'rgb.webp', 'rgb.tif', 'rgb.jpg', 'progressive.jpg', 'misnamed.jpg', 'rgb16.png'];
  test.each([...names, 'palette.png', 'first-frame.gif', 'opaque-alpha.png', 'exif-rotated.jpg'])(
    '%s',
    async (name) => {
      for (const [i, quarter] of (await quarters(name, 3)).entries()) {
        for (const [c, value] of quarter.entries())
          expect(Math.abs(value - colors[i]![c]!)).toBeLessThanOrEqual(2);
      }
    },
  );
});

describe('gray images stay gray, on one channel or three', () => {
  test.each(['gray.png', 'gray.jpg', 'gray16.png', 'gray-alpha.png'])('%s', async (name) => {
    for (const channels of [1, 3] as const) {
      const expected = grays.map((gray) => Array(channels).fill(gray));
      for (const [i, quarter] of (await quarters(name, channels)).entries()) {
        for (const [c, value] of quarter.entries())
          expect(Math.abs(value - expected[i]![c]!)).toBeLessThanOrEqual(1);
      }
    }
  });
});

test('CMYK colors stay roughly the same', async () => {
  const [red, green, blue, white] = await quarters('cmyk.jpg', 3);
  expect(red!.indexOf(Math.max(...red!))).toBe(0);
  expect(green!.indexOf(Math.max(...green!))).toBe(1);
  expect(blue!.indexOf(Math.max(...blue!))).toBe(2);
  expect(Math.min(...white!)).toBeGreaterThan(220);
});

test('transparent pixels are black, and one-bit images are black and white', async () => {
  expect((await quarters('right-half-transparent.png', 3))[3]).toEqual([0, 0, 0]);
  expect((await quarters('right-half-transparent.png', 3))[0]).toEqual([200, 40, 40]);
  expect(await quarters('one-bit.png', 1)).toEqual([[0], [255], [0], [255]]);
});

test('the size is that of the image after EXIF rotation', async () => {
  expect(await imageSize(encoded('exif-rotated.jpg'))).toMatchObject({ width: 40, height: 24 });
});

test('a small image is enlarged between pixel centers', async () => {
  const image = { kind: 'pixels', pixels: Uint8Array.of(0, 10), width: 2, height: 1, channels: 1 } as const;
  expect([...(await decodeImage(image, { width: 4, height: 2, channels: 1 }))]).toEqual([
    0, 3, 8, 10, 0, 3, 8, 10,
  ]);
});

test('pixels of the right size are used as they are; others are resized', async () => {
  const pixels = Uint8Array.of(0, 0, 255, 255);
  const image = { kind: 'pixels', pixels, width: 2, height: 2, channels: 1 } as const;
  expect(await decodeImage(image, { width: 2, height: 2, channels: 1 })).toBe(pixels);
  expect((await decodeImage(image, { width: 4, height: 4, channels: 3 })).length).toBe(48);
});
