import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { findBuild } from '@anyclass/torch/builds';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { imageBytes, type PixelFormat } from '../../dataset/reading/pixelFormat.js';
import { randomStream } from '../../random/philox.js';
import { decodeImage, decodeWithSharp } from './decode.js';
import { imagesLibrary } from './imagesAddon.js';
import { decodeJpeg, decodeJpegFile, jpegDecoder } from './jpeg.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const addon = findBuild(imagesLibrary)?.path;
const format = { width: 20, height: 12, channels: 3 } as const;

/** Blotches of all colors; the same for the same size. */
function picture(width: number, height: number): Sharp {
  const draw = randomStream('sample', 7, width, height);
  const noise = Uint8Array.from({ length: width * height * 3 }, () => draw.below(256));
  return sharp(noise, { raw: { width, height, channels: 3 } }).blur(2);
}

/** The same without strong colors, so that none is clipped at 0 or 255. */
function muted(width: number, height: number): Sharp {
  return picture(width, height).linear(0.5, 64);
}

const sampling = fc.constantFrom('4:4:4', '4:2:0');
const samplingOrGray = fc.constantFrom('4:4:4', '4:2:0', 'gray');

async function decoded(bytes: Uint8Array, wanted: PixelFormat): Promise<Uint8Array | undefined> {
  const out = new Uint8Array(imageBytes(wanted) + 10).fill(7);
  if (!(await decodeJpeg(bytes, wanted, out, 5))) return undefined;
  expect([...out.subarray(0, 5), ...out.subarray(-5)]).toEqual(Array(10).fill(7));
  return out.subarray(5, -5);
}

function largestDifference(a: Uint8Array, b: ArrayLike<number>): number {
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);
}

describe.skipIf(jpegDecoder() === 'sharp')('the JPEG decoder (needs libjpeg-turbo at set-up)', () => {
  test.each(['rgb.jpg', 'gray.jpg', 'progressive.jpg', 'exif-rotated.jpg'])(
    "%s has sharp's pixels, up to rounding",
    async (name) => {
      const bytes = readFileSync(join(fixtures, name));
      const pixels = await decoded(bytes, format);
      expect(
        largestDifference(pixels!, await decodeWithSharp({ kind: 'encoded', bytes }, format)),
      ).toBeLessThanOrEqual(2);
    },
  );

  test('two million empty segments before the picture take no time', async () => {
    const bytes = readFileSync(join(fixtures, 'exif-rotated.jpg'));
    const empty = Buffer.from('ffe10002ffe20002'.repeat(1_000_000), 'hex');
    const padded = Buffer.concat([bytes.subarray(0, 2), empty, bytes.subarray(2)]);
    expect(await decoded(padded, format)).toEqual(await decoded(bytes, format));
  });

  test.each(['cmyk.jpg', 'misnamed.jpg', 'rgb.png'])('%s is left to sharp', async (name) => {
    expect(await decoded(readFileSync(join(fixtures, name)), format)).toBeUndefined();
  });

  test('a file gives the pixels of its bytes; anything but a plain JPEG file is left to other decoders', async () => {
    const folder = testFolder();
    const at = (name: string) => join(folder, name);
    const out = new Uint8Array(imageBytes(format));
    copyFileSync(join(fixtures, 'rgb.jpg'), at('ä b.JPEG'));
    expect(await decodeJpegFile(at('ä b.JPEG'), format, out, 0)).toBe(true);
    expect(out).toEqual(await decoded(readFileSync(at('ä b.JPEG')), format));
    writeFileSync(at('empty.jpg'), '');
    mkdirSync(at('folder.jpg'));
    execFileSync('mkfifo', [at('pipe.jpg')]);
    for (const name of ['missing.jpg', 'empty.jpg', 'folder.jpg', 'pipe.jpg'])
      expect(await decodeJpegFile(at(name), format, out, 0)).toBe(false);
    for (const name of ['cmyk.jpg', 'misnamed.jpg', 'rgb.png'])
      expect(await decodeJpegFile(join(fixtures, name), format, out, 0)).toBe(false);
    await expect(decodeJpegFile(at('ä b.JPEG'), format, out, 1)).rejects.toThrow('does not fit');
  });

  test('every EXIF orientation is applied as sharp applies it', async () => {
    const wanted = { width: 60, height: 42, channels: 3 } as const;
    for (let orientation = 1; orientation <= 8; orientation++) {
      const bytes = await picture(90, 63).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
      const theirs = await decodeWithSharp({ kind: 'encoded', bytes }, wanted);
      const ours = await decoded(bytes, wanted);
      const difference = ours!.reduce((sum, value, i) => sum + Math.abs(value - theirs[i]!), 0);
      expect(difference / theirs.length).toBeLessThan(0.5);
    }
  });

  test('a color profile other than sRGB is left to sharp', async () => {
    const withProfile = (name: string) => picture(40, 24).withIccProfile(name).jpeg().toBuffer();
    expect(await decoded(await withProfile('p3'), format)).toBeUndefined();
    expect(await decoded(await withProfile('srgb'), format)).toBeDefined();
  });

  test.each(['4:4:4', '4:2:0'])(
    "%s colors become sharp's gray, up to rounding",
    async (chromaSubsampling) => {
      const bytes = await muted(90, 63).jpeg({ quality: 95, chromaSubsampling }).toBuffer();
      for (const [width, height] of [
        [90, 63],
        [40, 30],
        [200, 100],
      ] as const) {
        const wanted = { width, height, channels: 1 } as const;
        const theirs = await decodeWithSharp({ kind: 'encoded', bytes }, wanted);
        expect(largestDifference((await decoded(bytes, wanted))!, theirs)).toBeLessThanOrEqual(3);
      }
    },
  );

  test('gray is computed from the RGB pixels in linear light, with the same EXIF rotation', async () => {
    const bytes = await picture(90, 63).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    const size = { width: 42, height: 60 };
    const rgb = (await decoded(bytes, { ...size, channels: 3 }))!;
    const gray = (await decoded(bytes, { ...size, channels: 1 }))!;
    const light = (byte: number) => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
    const expected = Array.from(gray, (_, i) => {
      const mean =
        0.2126 * light(rgb[3 * i]!) + 0.7152 * light(rgb[3 * i + 1]!) + 0.0722 * light(rgb[3 * i + 2]!);
      return 255 * (mean <= 0.0031308 ? 12.92 * mean : 1.055 * mean ** (1 / 2.4) - 0.055);
    });
    expect(largestDifference(gray, expected)).toBeLessThan(2.5);
  });

  test("an image of any size, decoded at that size, has libjpeg's pixels, up to rounding", async () => {
    const side = fc.integer({ min: 6, max: 70 }); // below 6, libjpeg does not interpolate colors
    await fc.assert(
      fc.asyncProperty(side, side, sampling, async (width, height, chromaSubsampling) => {
        const bytes = await muted(width, height).jpeg({ chromaSubsampling }).toBuffer();
        const wanted = { width, height, channels: 3 } as const;
        const theirs = await decodeWithSharp({ kind: 'encoded', bytes }, wanted);
        expect(largestDifference((await decoded(bytes, wanted))!, theirs)).toBeLessThanOrEqual(2);
      }),
      { numRuns: 60 },
    );
  });

  test('resizing is the triangle filter over the decoded image, to within a gray level', async () => {
    const side = fc.integer({ min: 1, max: 90 });
    const shrunk = fc.double({ min: 0.26, max: 3, noNaN: true }); // below a quarter, decoding itself shrinks
    await fc.assert(
      fc.asyncProperty(side, side, shrunk, shrunk, samplingOrGray, async (width, height, x, y, colors) => {
        const channels = colors === 'gray' ? 1 : 3;
        const source = muted(width, height);
        const bytes =
          colors === 'gray'
            ? await source.toColorspace('b-w').jpeg({ quality: 90 }).toBuffer()
            : await source.jpeg({ quality: 90, chromaSubsampling: colors }).toBuffer();
        const whole = await decoded(bytes, { width, height, channels });
        const wanted = { width: Math.ceil(width * x), height: Math.ceil(height * y), channels } as const;
        const rows = filtered(whole!, 1, height, wanted.height, width * channels);
        const expected = filtered(rows, wanted.height, width, wanted.width, channels);
        // The colors of the full-size image were rounded; those of the resized one were not.
        const rounding = channels === 1 ? 0.5 : 1;
        expect(largestDifference((await decoded(bytes, wanted))!, expected)).toBeLessThan(rounding + 0.1);
      }),
      { numRuns: 80 },
    );
  });

  test('a result so narrow that 16 bits would be too coarse is left to sharp', async () => {
    const bytes = await picture(390, 5).jpeg().toBuffer();
    expect(await decoded(bytes, { width: 6, height: 5, channels: 3 })).toBeUndefined();
    expect(await decoded(bytes, { width: 7, height: 5, channels: 3 })).toBeDefined();
  });

  test('an image shrunk while decoding stays close to one that is not', async () => {
    const bytes = await picture(400, 300).jpeg({ quality: 95 }).toBuffer();
    const whole = await decoded(bytes, { width: 400, height: 300, channels: 3 });
    const rows = filtered(whole!, 1, 300, 30, 400 * 3);
    const expected = filtered(rows, 30, 400, 40, 3);
    const pixels = await decoded(bytes, { width: 40, height: 30, channels: 3 });
    expect(largestDifference(pixels!, expected)).toBeLessThanOrEqual(3);
  });

  test('the bytes are the same whether decoded one by one or all at once', async () => {
    const pictures = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        picture(100 + i, 80)
          .jpeg()
          .toBuffer(),
      ),
    );
    const atOnce = await Promise.all(pictures.map((bytes) => decoded(bytes, format)));
    for (const [i, bytes] of pictures.entries()) expect(await decoded(bytes, format)).toEqual(atOnce[i]);
  });

  test('300 damaged JPEGs are decoded or refused exactly as sharp alone would', async () => {
    const whole = [
      await picture(120, 90).jpeg().toBuffer(),
      await picture(90, 120).jpeg({ progressive: true }).toBuffer(),
    ];
    const verdict = (pixels: Promise<Uint8Array>) => pixels.then((bytes) => bytes.length, reasonOf);
    let refused = 0;
    for (let i = 0; i < 300; i++) {
      const draw = randomStream('sample', 11, 0, i);
      const bytes = damage(whole[i % 2]!, draw);
      const ours = await verdict(decodeImage({ kind: 'encoded', bytes }, format));
      expect(ours).toBe(await verdict(decodeWithSharp({ kind: 'encoded', bytes }, format)));
      if (ours !== imageBytes(format)) refused += 1;
    }
    expect(refused).toBeGreaterThan(90);
  });

  test('output memory that is too small is refused', async () => {
    const bytes = readFileSync(join(fixtures, 'rgb.jpg'));
    await expect(decodeJpeg(bytes, format, new Uint8Array(719), 0)).rejects.toThrow(RangeError);
    await expect(decodeJpeg(bytes, format, new Uint8Array(720), 1)).rejects.toThrow(RangeError);
    await expect(decodeJpeg(bytes, { ...format, width: 0 }, new Uint8Array(720), 0)).rejects.toThrow(
      RangeError,
    );
  });

  test('a worker thread may exit while its images are being decoded', async () => {
    const program = `
      const { decodeJpeg } = require(${JSON.stringify(addon)});
      const bytes = require('node:fs').readFileSync(${JSON.stringify(join(fixtures, 'rgb.jpg'))});
      for (let i = 0; i < 200; i++) decodeJpeg(bytes, new Uint8Array(3000000), 0, 1000, 1000, 3);
      process.exit(0);`;
    const worker = new Worker(program, { eval: true });
    expect(await new Promise((ended) => worker.once('exit', ended))).toBe(0);
  });
});

/** A copy that is truncated, has some bits flipped, or declares another size. */
function damage(bytes: Buffer, draw: ReturnType<typeof randomStream>): Buffer {
  const copy = Buffer.from(bytes);
  const kind = draw.below(3);
  if (kind === 0) return copy.subarray(0, 4 + draw.below(copy.length - 4));
  if (kind === 1) {
    for (let i = 0; i < 3; i++) {
      const at = 3 + draw.below(copy.length - 3);
      copy[at] = copy[at]! ^ (1 << draw.below(8));
    }
    return copy;
  }
  const frame = Math.max(copy.indexOf(Buffer.of(0xff, 0xc0)), copy.indexOf(Buffer.of(0xff, 0xc2)));
  const most = draw.below(20) === 0 ? 65_535 : 500;
  copy.writeUInt16BE(1 + draw.below(most), frame + 5);
  copy.writeUInt16BE(1 + draw.below(most), frame + 7);
  return copy;
}

/** Resizes the middle dimension of [outer, length, inner] with a triangle filter. */
function filtered(
  values: ArrayLike<number>,
  outer: number,
  from: number,
  to: number,
  inner: number,
): Float64Array {
  const out = new Float64Array(outer * to * inner);
  const support = Math.max(1, from / to);
  for (let t = 0; t < to; t++) {
    const center = ((t + 0.5) * from) / to;
    const weights = Array.from({ length: from }, (_, f) =>
      Math.max(0, 1 - Math.abs(f + 0.5 - center) / support),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (let o = 0; o < outer; o++) {
      for (const [f, weight] of weights.entries()) {
        if (weight === 0) continue;
        for (let i = 0; i < inner; i++)
          out[(o * to + t) * inner + i]! += (weight / total) * values[(o * from + f) * inner + i]!;
      }
    }
  }
  return out;
}
