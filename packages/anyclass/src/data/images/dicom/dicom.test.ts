import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import {
  type Attribute,
  type DicomContent,
  dicomFile,
  item,
  losslessJpeg,
  runLengths,
  transferSyntaxes,
} from '../../../../test/dicomFile.js';
import { decodeImage } from '../decoding/decode.js';
import { windowed } from '../levels/levels.js';
import { decodeDicom } from './decodeDicom.js';
import { openDicom } from './openDicom.js';

const words = (...values: number[]) =>
  Buffer.from(Uint16Array.from(values, (value) => value & 0xffff).buffer);
const gray = (values: number[], more: Partial<DicomContent> = {}) =>
  dicomFile({ width: values.length, height: 1, pixels: words(...values), ...more });

/** The levels of a gray file. */
async function levelsOf(file: Uint8Array, frame?: number): Promise<number[]> {
  const content = await decodeDicom(file, { frame });
  if ('kind' in content) throw new Error('expected levels');
  return Array.from(content.values, (value) => content.slope * value + content.intercept);
}

/** The bytes according to the file's own window. */
async function shown(file: Uint8Array): Promise<number[]> {
  const content = await decodeDicom(file, {});
  return [...('kind' in content ? content.pixels : windowed(content, 'auto'))];
}

describe('levels', () => {
  test('are rescaled, with their sign, from the stored bits', async () => {
    const rescale = [[0x00281052, 'DS', '-1024'] as const, [0x00281053, 'DS', '2'] as const];
    expect(await levelsOf(gray([0, 512, 1024], { attributes: rescale }))).toEqual([-1024, 0, 1024]);
    expect(await levelsOf(gray([-5, 7], { isSigned: true }))).toEqual([-5, 7]);
    const twelve = [[0x00280101, 'US', 12] as const, [0x00280102, 'US', 11] as const];
    expect(await levelsOf(gray([0xf123, 0x0fff], { attributes: twelve }))).toEqual([0x123, 0xfff]);
    expect(await levelsOf(gray([0xf123, 0x0fff], { attributes: twelve, isSigned: true }))).toEqual([
      0x123, -1,
    ]);
  });

  test('go through the modality table, if any', async () => {
    const table = item([
      [0x00283002, 'US', [3, 10, 16]],
      [0x00283006, 'US', [100, 200, 300]],
    ]);
    const file = gray([0, 10, 11, 50], { attributes: [[0x00283000, 'SQ', table]] });
    expect(await levelsOf(file)).toEqual([100, 100, 200, 300]);
  });

  test('are those of the chosen frame', async () => {
    const attributes = [[0x00280008, 'IS', '3'] as const];
    const file = dicomFile({ width: 2, height: 1, pixels: words(1, 2, 3, 4, 5, 6), attributes });
    expect(await levelsOf(file, 3)).toEqual([5, 6]);
    await expect(levelsOf(file, 4)).rejects.toThrow('has 3 frames; data.frame asks for 4');
  });
});

describe('the window of the file', () => {
  const window = (center: string, width: string, kind?: string) => [
    [0x00281050, 'DS', center] as const,
    [0x00281051, 'DS', width] as const,
    ...(kind ? [[0x00281056, 'CS', kind] as const] : []),
  ];

  test('is the first of several, by the standard’s formulas', async () => {
    expect(await shown(gray([0, 100, 101, 300], { attributes: window('100.5\\9', '201\\9') }))).toEqual([
      0, 128, 129, 255,
    ]);
    expect(await shown(gray([0, 50, 100], { attributes: window('50', '100', 'LINEAR_EXACT') }))).toEqual([
      0, 128, 255,
    ]);
    expect(await shown(gray([0, 50, 100], { attributes: window('50', '100', 'SIGMOID') }))).toEqual([
      30, 128, 225,
    ]);
    expect(await shown(gray([49, 50], { attributes: window('50', '1') }))).toEqual([0, 255]);
  });

  test('is inverted in MONOCHROME1', async () => {
    const attributes = window('50', '100', 'LINEAR_EXACT');
    expect(await shown(gray([0, 50, 100], { attributes, photometric: 'MONOCHROME1' }))).toEqual([
      255, 128, 0,
    ]);
  });

  test('is a lookup table, if there is one', async () => {
    const table = item([
      [0x00283002, 'US', [2, 5, 8]],
      [0x00283006, 'US', [51, 102]],
    ]);
    const attributes = [[0x00283010, 'SQ', table] as const, ...window('1', '2')];
    expect(await shown(gray([0, 5, 6, 7], { attributes }))).toEqual([51, 51, 102, 102]);
  });

  test('of negative width is an error that says what to set', async () => {
    await expect(shown(gray([1], { attributes: window('5', '-3') }))).rejects.toThrow('data.window');
  });
});

describe('transfer syntaxes', () => {
  const picture = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc
        .uint16Array({ minLength: width * height, maxLength: width * height })
        .map((values) => ({ width, height, values })),
    );

  test('RLE restores what was packed', async () => {
    await fc.assert(
      fc.asyncProperty(picture, async ({ values, ...size }) => {
        const pixels = [runLengths(values)];
        const file = dicomFile({ ...size, pixels, transferSyntax: transferSyntaxes.runLengths });
        expect(await levelsOf(file)).toEqual([...values]);
      }),
      { numRuns: 50 },
    );
  });

  test('lossless JPEG restores what was encoded, with every predictor', async () => {
    await fc.assert(
      fc.asyncProperty(picture, fc.integer({ min: 1, max: 7 }), async ({ values, ...size }, predictor) => {
        const pixels = [losslessJpeg(values, size.width, size.height, predictor)];
        const file = dicomFile({ ...size, pixels, transferSyntax: transferSyntaxes.losslessJpeg });
        expect(await levelsOf(file)).toEqual([...values]);
      }),
      { numRuns: 100 },
    );
  });

  test('JPEG frames give the pixels of their JPEGs', async () => {
    const jpeg = (value: number) =>
      sharp({ create: { width: 16, height: 8, channels: 3, background: { r: value, g: 90, b: 30 } } })
        .jpeg()
        .toBuffer();
    const file = dicomFile({
      width: 16,
      height: 8,
      bits: 8,
      samples: 3,
      photometric: 'YBR_FULL_422',
      transferSyntax: transferSyntaxes.jpeg,
      pixels: await Promise.all([jpeg(50), jpeg(220)]),
      attributes: [[0x00280008, 'IS', '2']],
    });
    const format = { width: 4, height: 4, channels: 3 } as const;
    const first = await decodeImage({ kind: 'encoded', bytes: file }, format);
    const last = await decodeImage({ kind: 'encoded', bytes: file }, { ...format, frame: 'last' });
    expect(Math.abs(first[0]! - 50)).toBeLessThan(4);
    expect(Math.abs(last[0]! - 220)).toBeLessThan(4);
  });

  test('unsupported ones are named, with a way out', async () => {
    const transferSyntax = '1.2.840.10008.1.2.4.100';
    await expect(levelsOf(gray([1], { transferSyntax }))).rejects.toThrow(
      /1\.2\.840\.10008\.1\.2\.4\.100.*convert/,
    );
  });
});

test('palettes become colors', async () => {
  const table = (tag: number, values: number[]) => [
    [0x00281100 + tag, 'US', [values.length, 0, 16]] as const,
    [0x00281200 + tag, 'OW', words(...values)] as const,
  ];
  const file = dicomFile({
    width: 2,
    height: 1,
    bits: 8,
    photometric: 'PALETTE COLOR',
    pixels: Buffer.of(1, 0),
    attributes: [...table(1, [0, 0xff00]), ...table(2, [0x8000, 0]), ...table(3, [0x0100, 0x0200])],
  });
  expect(await shown(file)).toEqual([255, 0, 2, 0, 128, 1]);
});

describe('damage is reported', () => {
  test('truncated pixels', async () => {
    await expect(levelsOf(dicomFile({ width: 4, height: 4, pixels: words(1, 2) }))).rejects.toThrow(
      'truncated',
    );
  });

  test('a report without pixels, and a size that is too large', async () => {
    const limited = decodeDicom(gray([1, 2, 3]), { pixelLimit: 2 });
    await expect(limited).rejects.toThrow('data.pixelLimit');
    const file = gray([1]);
    await expect(levelsOf(file.subarray(0, file.indexOf(Buffer.from([0xe0, 0x7f]))))).rejects.toThrow(
      'without pixels',
    );
  });
});

// PEER_PYTHON: a Python that has pydicom, if python3 does not.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const isMissing = spawnSync(python, ['-c', 'import pydicom, PIL']).status !== 0;

describe.skipIf(isMissing)(
  'compared with pydicom on its own test files (needs it in PEER_PYTHON or python3)',
  () => {
    test('levels, colors, and windows are the same', async () => {
      const folder = testFolder();
      const peer = resolve(import.meta.dirname, '../../../../../../bench/fixtures/data/dicom_peer.py');
      expect(spawnSync(python, [peer, folder]).status).toBe(0);
      const floats = (file: string) =>
        new Float32Array(Uint8Array.from(readFileSync(join(folder, file))).buffer);
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      // Invalid: it declares explicit value types but is written without them.
      const compared = names.map((name) => name.slice(0, -5)).filter((name) => name !== 'SC_rgb_jpeg.dcm');
      expect(compared.length).toBeGreaterThan(40);
      for (const name of compared) {
        const { path, window } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
        const content = await decodeDicom(readFileSync(path), {});
        const ours =
          'kind' in content
            ? Float32Array.from(content.pixels)
            : Float32Array.from(content.values, (value) => content.slope * value + content.intercept);
        expect(Buffer.from(ours.buffer).equals(Buffer.from(floats(`${name}.levels`).buffer)), name).toBe(
          true,
        );
        if (!window || 'kind' in content) continue;
        const bytes = windowed({ ...content, isInverted: false }, 'auto');
        const worst = floats(`${name}.shown`).reduce(
          (most, share, i) => Math.max(most, Math.abs(bytes[i]! - 255 * share)),
          0,
        );
        expect(worst, name).toBeLessThan(0.51);
      }
    }, 60_000);
  },
);

describe('files made to exhaust the machine', () => {
  const deflatedSyntax = '1.2.840.10008.1.2.1.99';
  /** A file whose content after the meta information is deflated. */
  const deflated = (content: DicomContent) => {
    const plain = dicomFile({ ...content, transferSyntax: deflatedSyntax });
    const start = 132 + 12 + 8 + deflatedSyntax.length;
    return Buffer.concat([plain.subarray(0, start), deflateRawSync(plain.subarray(start))]);
  };
  const pixels = words(1, 2, 3, 4);

  test('a deflated file is read, and no further than the end of its frame', async () => {
    const file = deflated({ width: 2, height: 2, pixels });
    expect(await levelsOf(file)).toEqual([1, 2, 3, 4]);
    const long = deflated({ width: 2, height: 2, pixels: Buffer.concat([pixels, Buffer.alloc(1 << 26)]) });
    expect(long.length).toBeLessThan(100_000);
    const opened = await openDicom(long);
    expect((await opened.withFrame(0)).byteArray.length).toBeLessThan(1 << 25);
    expect(await levelsOf(long)).toEqual([1, 2, 3, 4]);
    // What follows is not even looked at: of a stream that is cut off there, the end is never reached.
    expect(await levelsOf(long.subarray(0, long.length - 1000))).toEqual([1, 2, 3, 4]);
    await expect(opened.withFrame(4_000_000)).resolves.toMatchObject({
      byteArray: { length: expect.toSatisfy((length: number) => length > 1 << 24 && length < 1 << 25) },
    });
  });

  test('a deflated file whose header goes on for ever is refused', async () => {
    const filler: Attribute = [0x00090001, 'OB', Buffer.alloc(1 << 26)];
    const file = deflated({ width: 2, height: 2, pixels, attributes: [filler] });
    await expect(decodeDicom(file, {})).rejects.toThrow('no pixels in its first 16 MiB');
  });

  test('a file with millions of elements, or with elements a hundred thousand deep, is refused', async () => {
    const empty = Buffer.from([9, 0, 1, 0, 0x43, 0x53, 0, 0]);
    const [meta, rest] = [gray([1]).subarray(0, 132 + 12 + 8 + 20), gray([1]).subarray(132 + 12 + 8 + 20)];
    const many = Buffer.concat([meta, Buffer.alloc(600_000 * empty.length, empty), rest]);
    await expect(decodeDicom(many, {})).rejects.toThrow('more than 500000 elements');
    const open = Buffer.from([
      9, 0, 1, 0, 0x53, 0x51, 0, 0, 255, 255, 255, 255, 254, 255, 0, 224, 255, 255, 255, 255,
    ]);
    const deep = Buffer.concat([meta, Buffer.alloc(100_000 * open.length, open), rest]);
    await expect(decodeDicom(deep, {})).rejects.toThrow('nested too deeply');
  });
});
