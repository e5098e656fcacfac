import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readDigits, testDigitPlaces } from './digits.js';
import { readMnist } from './mnist.js';
import { sceneDigits } from './scene.js';

const digits = readDigits({});

test("55 to 60% of each split's scenes are negative, and most of those are not empty", () => {
  const { splits } = digits.fixedSplits!;
  for (const [code, rows] of [splits.train, splits.validation, splits.test].entries()) {
    const negative = rows.filter((row) => digits.labels.presence(row) === 'negative');
    expect(negative.length / rows.length).toBeGreaterThan(0.55);
    expect(negative.length / rows.length).toBeLessThan(0.6);
    const empty = negative.filter((row) => sceneDigits(0, code, row - rows[0]!).length === 0);
    expect(empty.length / negative.length).toBeLessThan(0.3);
  }
});

test('the six classes have a long tail', () => {
  const counts = digits.classes.map(
    (_, j) => digits.fixedSplits!.splits.train.filter((row) => digits.labels.at(row, j) === 1).length,
  );
  expect(counts).toEqual([...counts].sort((a, b) => b - a));
  expect(counts[0]! / counts[5]!).toBeGreaterThan(10);
});

test('scenes are the same bytes on every machine', async () => {
  const hash = createHash('sha256');
  for (const row of [0, 19_999, 20_000, 24_000, 27_999]) {
    const image = await digits.images.read(row);
    if (image.kind !== 'pixels') throw new Error('expected pixels');
    expect([image.width, image.height, image.pixels.length]).toEqual([64, 64, 4096]);
    hash.update(image.pixels);
  }
  expect(hash.digest('hex')).toMatchInlineSnapshot(
    `"d9059df7a36793cbd8858dddf006a3ab2b3b0d1f5f709498fa68b55102a1c156"`,
  );
});

test("MNIST's first test images show 7, 2, 1, 0, 4", async () => {
  const { labels, pixels } = await readMnist('test');
  expect([...labels.subarray(0, 5)]).toEqual([7, 2, 1, 0, 4]);
  expect(pixels.length).toBe(10_000 * 784);
});

test('digits are where they are said to be: there are bright pixels in each square', async () => {
  const places = await testDigitPlaces(0, 20);
  for (const [index, digitsOfScene] of places.entries()) {
    expect(digitsOfScene.map(({ digit }) => digit)).toEqual(sceneDigits(0, 2, index));
    const image = await digits.images.read(24_000 + index);
    if (image.kind !== 'pixels') throw new Error('expected pixels');
    for (const { x, y } of digitsOfScene) {
      const middle = Array.from({ length: 10 }, (_, dy) =>
        image.pixels.subarray((y + 9 + dy) * 64 + x + 9, (y + 9 + dy) * 64 + x + 19),
      );
      expect(middle.flatMap((row) => [...row]).filter((value) => value > 80).length).toBeGreaterThan(3);
    }
  }
});
