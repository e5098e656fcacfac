import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { animation, type BitmapContent, bitmap, png16, tiff } from '../../../../test/deepImages.js';
import { frameIndex } from '../../dataset/reading/frames.js';
import type { ImageReading } from '../../dataset/reading/pixelFormat.js';
import { holdsImage } from '../formats/imageFiles.js';
import { imageLevels } from '../formats/unpack.js';
import { createLevelSurvey } from '../levelSurvey.js';
import { decodeImage, imageSize } from './decode.js';
import { createDecoder } from './decoder.js';
import { surveyImage } from './surveyImage.js';

const encoded = (bytes: Uint8Array) => ({ kind: 'encoded', bytes }) as const;

async function pixels(
  bytes: Uint8Array,
  width: number,
  height: number,
  more: ImageReading & { channels?: 1 | 3 } = {},
) {
  return [...(await decodeImage(encoded(bytes), { width, height, channels: 1, ...more }))];
}

async function levelsOf(bytes: Uint8Array, reading: ImageReading = {}): Promise<number[]> {
  const levels = await imageLevels(encoded(bytes), reading);
  return levels ? Array.from(levels.values, (value) => levels.slope * value + levels.intercept) : [];
}

describe('levels of PNG and TIFF', () => {
  const values = fc.uint16Array({ minLength: 12, maxLength: 12 }).map((array) => [...array]);

  test('are read as they were stored', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (stored) => {
        expect(await levelsOf(png16(stored, 4, 3))).toEqual(stored);
        expect(await levelsOf(tiff([stored], 4, 3))).toEqual(stored);
        const signed = stored.map((value) => value - 0x8000);
        expect(await levelsOf(tiff([signed], 4, 3, { format: 2 }))).toEqual(signed);
        const floats = stored.map((value) => Math.fround(value / 7 - 1000));
        expect(await levelsOf(tiff([floats], 4, 3, { bits: 32, format: 3 }))).toEqual(floats);
        expect(await levelsOf(png16(stored, 2, 2))).toEqual(stored); // in color
      }),
      { numRuns: 20 },
    );
  });

  test('do not exist for 8 bits', async () => {
    expect(await levelsOf(tiff([[1, 2, 3, 4]], 2, 2, { bits: 8 }))).toEqual([]);
    expect(await pixels(tiff([[1, 2, 3, 4]], 2, 2, { bits: 8 }), 2, 2, { window: [0, 2] })).toEqual([
      1, 2, 3, 4,
    ]);
  });
});

test('a 12-bit X-ray in a 16-bit file is not dark: without a window it is stretched; with one it keeps its scale', async () => {
  const xray = [100, 1000, 2000, 3100];
  for (const file of [png16(xray, 2, 2), tiff([xray], 2, 2)]) {
    expect(await pixels(file, 2, 2)).toEqual([0, 77, 162, 255]);
    expect(await pixels(file, 2, 2, { window: [0, 4095] })).toEqual([6, 62, 125, 193]);
    expect(await pixels(file, 2, 2, { window: [0, 65535] })).toEqual([0, 4, 8, 12]);
  }
});

test('the window applies in threads and in decoder processes alike', async () => {
  const format = { width: 2, height: 2, channels: 1, window: [0, 4095] } as const;
  const image = encoded(png16([0, 1000, 2000, 4095], 2, 2));
  for (const processes of [0, 1]) {
    const decoder = createDecoder(format, { processes });
    expect([...(await decoder.decode(image))]).toEqual([0, 62, 125, 255]);
    await decoder.close();
  }
});

describe('frames', () => {
  test('are counted from 1, and a file with one frame always gives that frame', () => {
    expect((['first', 'middle', 'last', 2] as const).map((frame) => frameIndex(frame, 5))).toEqual([
      0, 2, 4, 1,
    ]);
    expect((['middle', 'last', 9] as const).map((frame) => frameIndex(frame, 1))).toEqual([0, 0, 0]);
    expect(() => frameIndex(6, 5)).toThrow('has 5 frames; data.frame asks for 6');
  });

  test('can be chosen in TIFF, GIF, and WebP', async () => {
    const pages = [10, 120, 240].map((gray) => Array(64).fill(gray));
    const files = [
      tiff(pages, 8, 8, { bits: 8 }),
      await animation([10, 120, 240], 'gif'),
      await animation([10, 120, 240], 'webp'),
    ];
    for (const file of files) {
      expect((await imageSize(encoded(file))).frames).toBe(3);
      for (const [frame, gray] of [
        [undefined, 10],
        ['middle', 120],
        ['last', 240],
        [2, 120],
      ] as const) {
        expect((await pixels(file, 8, 8, { frame }))[0]).toBe(gray);
      }
      await expect(pixels(file, 8, 8, { frame: 4 })).rejects.toThrow('3 frames');
    }
  });

  test('can be chosen in a 16-bit stack', async () => {
    expect(
      await levelsOf(
        tiff(
          [
            [1, 2],
            [3, 4],
            [500, 600],
          ],
          2,
          1,
        ),
        { frame: 3 },
      ),
    ).toEqual([500, 600]);
  });
});

describe('bitmaps', () => {
  const rgb = (content: BitmapContent) => {
    const height = Math.abs(content.height);
    return pixels(bitmap(content), content.width, height, { channels: 3 });
  };
  const red = [255, 0, 0];
  const green = [0, 255, 0];
  const palette = [0, 0, 255, 0, 0, 255, 0, 0]; // red, green

  test('are read in all depths, bottom-up or top-down', async () => {
    const down = { width: 1, height: 2, bits: 24, pixels: [0, 255, 0, 0, 0, 0, 255, 0] };
    expect(await rgb(down)).toEqual([...red, ...green]);
    expect(await rgb({ ...down, height: -2 })).toEqual([...green, ...red]);
    expect(await rgb({ width: 2, height: 1, bits: 32, pixels: [0, 0, 255, 9, 0, 255, 0, 9] })).toEqual([
      ...red,
      ...green,
    ]);
    expect(await rgb({ width: 2, height: 1, bits: 16, pixels: [0, 0x7c, 0xe0, 0x03] })).toEqual([
      ...red,
      ...green,
    ]);
    const masks = [0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0];
    const fields = {
      width: 2,
      height: 1,
      bits: 16,
      compression: 3,
      palette: masks,
      pixels: [0, 0xf8, 0xe0, 7],
    };
    expect(await rgb(fields)).toEqual([...red, ...green]);
    expect(await rgb({ width: 2, height: 1, bits: 8, palette, pixels: [0, 1, 0, 0] })).toEqual([
      ...red,
      ...green,
    ]);
    expect(await rgb({ width: 2, height: 1, bits: 4, palette, pixels: [0x01, 0, 0, 0] })).toEqual([
      ...red,
      ...green,
    ]);
    expect(await rgb({ width: 2, height: 1, bits: 1, palette, pixels: [0x40, 0, 0, 0] })).toEqual([
      ...red,
      ...green,
    ]);
  });

  test('are read with run-length encoding', async () => {
    const runs = { width: 3, height: 2, bits: 8, compression: 1, palette };
    const coded = [3, 1, 0, 0, 0, 3, 0, 1, 0, 0, 0, 1];
    expect(await rgb({ ...runs, pixels: coded })).toEqual([
      ...red,
      ...green,
      ...red,
      ...green,
      ...green,
      ...green,
    ]);
    const nibbles = { width: 3, height: 1, bits: 4, compression: 2, palette };
    expect(await rgb({ ...nibbles, pixels: [3, 0x10, 0, 1] })).toEqual([...green, ...red, ...green]);
  });

  test('are refused if damaged', async () => {
    const whole = bitmap({ width: 9, height: 9, bits: 24, pixels: Array(9 * 28).fill(7) });
    await expect(pixels(whole.subarray(0, -1), 9, 9)).rejects.toThrow('truncated');
    await expect(rgb({ width: 2, height: 1, bits: 8, palette, pixels: [0, 7, 0, 0] })).rejects.toThrow(
      'color 7',
    );
    await expect(
      rgb({ width: 2, height: 1, bits: 8, compression: 1, palette, pixels: [9, 1, 0, 1] }),
    ).rejects.toThrow('run');
    await expect(pixels(whole, 9, 9, { pixelLimit: 80 })).rejects.toThrow('data.pixelLimit');
  });
});

test('the pixel limit applies to every format and can be changed', async () => {
  const jpeg = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#123' } })
    .jpeg()
    .toBuffer();
  for (const file of [jpeg, png16(Array(600).fill(9), 30, 20), tiff([Array(600).fill(9)], 30, 20)]) {
    await expect(pixels(file, 4, 4, { pixelLimit: 599 })).rejects.toThrow('data.pixelLimit');
    expect(await pixels(file, 4, 4, { pixelLimit: 600 })).toHaveLength(16);
  }
});

test('DICOM without an extension is recognized by its content', () => {
  const folder = testFolder();
  const dicom = Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(124), Buffer.from('DICM')]);
  for (const name of ['IM0001', '1.2.840.7', 'notes'])
    writeFileSync(join(folder, name), name === 'notes' ? 'x' : dicom);
  const found = ['IM0001', '1.2.840.7', 'notes', 'a.BMP', 'b.jfif', 'c.txt'].filter((name) =>
    holdsImage(folder, name),
  );
  expect(found).toEqual(['IM0001', '1.2.840.7', 'a.BMP', 'b.jfif']);
});

describe('a survey of levels', () => {
  const survey = async (reading: ImageReading, files: readonly Uint8Array[]) => {
    const found = createLevelSurvey(reading);
    for (const [i, file] of files.entries())
      found.add(i, `${i}.png`, await surveyImage(encoded(file), reading));
    return {
      kinds: found.problems().map(({ kind, count }) => `${kind} ${count}`),
      statistics: found.statistics(),
    };
  };
  const xrays = [png16([100, 3100], 2, 1), png16([0, 1500], 2, 1)];

  test('reports a missing window and suggests one that covers all levels', async () => {
    const { kinds, statistics } = await survey({}, xrays);
    expect(kinds).toEqual(['no-window 2']);
    expect(statistics).toMatchObject({
      images: 2,
      withOwnWindow: 0,
      lowest: 0,
      highest: 3100,
      suggested: [0, 4095],
    });
    expect((await survey({ window: 'auto' }, xrays)).kinds).toEqual([]);
  });

  test('reports a window that shows nothing, and one that no image needs', async () => {
    expect((await survey({ window: [5000, 6000] }, xrays)).kinds).toEqual(['unfit-window 2']);
    expect((await survey({ window: [0, 4095] }, xrays)).kinds).toEqual([]);
    const plain = await sharp({ create: { width: 3, height: 2, channels: 3, background: '#123' } })
      .png()
      .toBuffer();
    expect((await survey({ window: [0, 4095] }, [plain])).kinds).toEqual(['unfit-window 1']);
    expect((await survey({}, [plain])).statistics).toBeUndefined();
  });

  test('names the first images, in whatever order they arrive', async () => {
    const found = createLevelSurvey({});
    const image = await surveyImage(encoded(xrays[0]!), {});
    for (const row of [4, 11, 0, 7, 9, 2, 10, 1, 3, 8, 6, 5]) found.add(row, `${row}`, image);
    const [problem] = found.problems();
    expect(problem?.count).toBe(12);
    expect(problem?.examples.map((example) => Number.parseInt(example, 10))).toEqual([...Array(10).keys()]);
  });

  test('reports several frames unless one is chosen', async () => {
    const stack = tiff(
      [
        [1, 2],
        [3, 4],
      ],
      2,
      1,
    );
    expect((await survey({ window: 'auto' }, [stack])).kinds).toEqual(['frames 1']);
    expect((await survey({ window: 'auto', frame: 'first' }, [stack])).kinds).toEqual([]);
  });
});
