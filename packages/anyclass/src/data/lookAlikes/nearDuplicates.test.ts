import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { pictureSide, wavyPicture } from '../../../test/pictures.js';
import { randomStream } from '../random/philox.js';
import { nearDistance, nearDuplicateFinder } from './nearDuplicates.js';
import { type PerceptualHash, perceptualHash } from './perceptualHash.js';

const format = { width: 64, height: 64, channels: 3 } as const;

async function hashOf(image: Sharp): Promise<PerceptualHash> {
  const decoded = sharp(await image.toBuffer())
    .resize(64, 64, { fit: 'fill', kernel: 'linear' })
    .removeAlpha();
  return perceptualHash(await decoded.raw().toBuffer(), format)!;
}

function bits(a: PerceptualHash, b: PerceptualHash): number {
  return a.reduce((sum, word, i) => sum + (word ^ b[i]!).toString(2).replaceAll('0', '').length, 0);
}

test('re-encoded, resized, brightened, and blurred copies have similar hashes; different images do not', async () => {
  const originals: PerceptualHash[] = [];
  for (let i = 0; i < 5; i++) {
    const image = wavyPicture(i);
    const own = await hashOf(image().png());
    originals.push(own);
    const copies = [
      image().jpeg({ quality: 50 }),
      image().webp({ quality: 40 }),
      image()
        .resize(pictureSide / 2, pictureSide / 2)
        .png(),
      image().linear(1.1, 8).png(),
      image().linear(0.8, 0).jpeg(),
      image().blur(1).png(),
    ];
    for (const copy of copies) expect(bits(own, await hashOf(copy))).toBeLessThanOrEqual(nearDistance);
  }
  originals.forEach((a, i) => {
    for (const b of originals.slice(i + 1)) expect(bits(a, b)).toBeGreaterThan(60);
  });
});

test('brightness alone changes no bit, and only the brightness of colors counts', () => {
  const gray = Uint8Array.from({ length: 64 * 64 }, (_, i) => ((i * 37) % 97) + Math.floor(i / 64));
  const color = Uint8Array.from({ length: 3 * 64 * 64 }, (_, i) => gray[Math.floor(i / 3)]!);
  const one = { ...format, channels: 1 } as const;
  const own = perceptualHash(gray, one)!;
  expect(
    perceptualHash(
      gray.map((value) => value + 50),
      one,
    ),
  ).toEqual(own);
  expect(perceptualHash(color, format)).toEqual(own);
});

test('an image of nearly a single color has no hash, whatever its size', () => {
  for (const length of [8, 33, 200]) {
    const flat = new Uint8Array(length * length).fill(90).map((value, i) => value + (i % 2));
    expect(perceptualHash(flat, { width: length, height: length, channels: 1 })).toBeUndefined();
  }
});

/** Hashes in families: originals, and copies with a few bits changed. */
const families = fc.array(
  fc.record({
    words: fc.array(fc.nat(65535), { minLength: 16, maxLength: 16 }),
    copies: fc.array(fc.uniqueArray(fc.nat(255), { maxLength: 40 }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('the sets are the same as when comparing every pair', () => {
  fc.assert(
    fc.property(families, (drawn) => {
      const hashes = drawn.flatMap(({ words, copies }) => {
        const own = Uint16Array.from(words);
        return [
          own,
          ...copies.map((changed) => {
            const copy = own.slice();
            for (const bit of changed) copy[bit % 16] = copy[bit % 16]! ^ (1 << (bit >> 4));
            return copy;
          }),
        ];
      });
      const finder = nearDuplicateFinder(hashes.length);
      for (const [row, hash] of hashes.entries()) finder.add(row, hash);
      expect(finder.sets()).toEqual(plainSets(hashes));
    }),
    { numRuns: 100 },
  );
});

function plainSets(hashes: readonly PerceptualHash[]): number[][] {
  const set = hashes.map((_, row) => row);
  hashes.forEach((a, i) => {
    hashes.slice(0, i).forEach((b, j) => {
      if (bits(a, b) > nearDistance) return;
      const [low, high] = [Math.min(set[i]!, set[j]!), Math.max(set[i]!, set[j]!)];
      set.forEach((name, row) => {
        if (name === high) set[row] = low;
      });
    });
  });
  return [...new Set(set)]
    .map((name) => hashes.flatMap((_, row) => (set[row] === name ? [row] : [])))
    .filter((rows) => rows.length > 1);
}

test('a video of one scene is one set, however long', () => {
  const draw = randomStream('sample', 6, 0, 0);
  const scene = Uint16Array.from({ length: 16 }, () => draw.below(65536));
  const finder = nearDuplicateFinder(20_001);
  for (let row = 0; row < 20_000; row++) {
    const frame = scene.slice();
    for (let k = 0; k < 3; k++) {
      const word = draw.below(16);
      frame[word] = frame[word]! ^ (1 << draw.below(16));
    }
    finder.add(row, frame);
  }
  finder.add(
    20_000,
    Uint16Array.from({ length: 16 }, () => draw.below(65536)),
  );
  expect(finder.sets().map((rows) => rows.length)).toEqual([20_000]);
});
